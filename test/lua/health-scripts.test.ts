import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ownVerdict } from '../../src/core/health/own-verdict.ts';
import { healthStates } from './health-states.ts';
import { runHealthScript } from './run-lua.ts';

const folder = new URL('../../src/core/health/lua/', import.meta.url);

/** `ceph.rook.io/CephCluster` → its script; the folder is named as the key in `argocd-cm` ends. */
const scripts = new Map(
  readdirSync(folder).map((name) => [
    name.replace('_', '/'),
    readFileSync(new URL(`${name}/health.lua`, folder), 'utf8'),
  ]),
);

// A script sees one object: where the verdict needs a second one, only TypeScript can give it.
const states = healthStates().filter((state) => state.companion === undefined && scripts.has(state.groupKind));

describe('health scripts for Argo CD (INV-7)', () => {
  it.each(states)('say of $file what its name says, and agree with our own verdict', (state) => {
    const result = runHealthScript(scripts.get(state.groupKind) ?? '', state.object);
    expect(result.status?.toLowerCase()).toBe(state.status);
    expect(result.status?.toLowerCase()).toBe(ownVerdict(state.object, { cephWarn: 'wait' })?.status);
    expect(result.status).toMatch(/^(Healthy|Progressing|Degraded|Suspended|Missing|Unknown)$/);
    expect(result.message).toMatch(/\S/);
  });

  it('exist for the kinds that Argo CD misjudges or does not judge', () => {
    expect([...scripts.keys()].sort()).toEqual([
      'acid.zalan.do/postgresql',
      'argoproj.io/Application',
      'ceph.rook.io/CephCluster',
      'kafka.strimzi.io/Kafka',
      'redis.redis.opstreelabs.in/RedisCluster',
      'temporal.io/TemporalCluster',
    ]);
  });

  it.each([...scripts])('%s keeps to what Lua 5.1 without its string library has', (_kind, script) => {
    const code = script.replaceAll(/--.*$/gm, '').replaceAll(/"[^"]*"/g, '""');
    expect(code).not.toMatch(/\bgoto\b|::|\/\/|[&|]|<<|>>|~(?!=)|\b(string|math|os|io|utf8|debug)\.|\):\w|\w:\w/);
  });

  it.each([...scripts])('%s never fails on an object without sense', (_kind, script) => {
    const values = [undefined, null, true, 7, 'x', [], ['x', null, 3], { status: 'x' }];
    for (const value of values) {
      for (const object of [
        { metadata: value },
        { status: value },
        { spec: value },
        { status: { conditions: value } },
      ]) {
        expect(runHealthScript(script, object).status).toMatch(/^(Progressing|Unknown)$/);
      }
    }
  });
});

describe('the Lua runner', () => {
  it('offers only what Argo CD offers to a script from its config map', () => {
    const absent = ['string', 'io', 'os', 'math', 'debug', 'coroutine'].filter((library) => {
      return runHealthScript(`return { status = type(${library}) }`, {}).status !== 'nil';
    });
    expect(absent).toEqual([]);
    expect(runHealthScript('return { status = tostring(table.getn({ 1, 2 })) }', {}).status).toBe('2');
  });

  it('shows the object with its lists, numbers and booleans, and null as absent', () => {
    const script = 'return { status = obj.list[2] .. obj.number, message = tostring(obj.yes) .. tostring(obj.no) }';
    const object = { list: ['a', 'b'], number: 3, yes: true, no: null };
    expect(runHealthScript(script, object)).toEqual({ status: 'b3', message: 'truenil' });
  });

  it('stops a script that does not end', () => {
    expect(() => runHealthScript('while true do end', {})).toThrow('more than 100000 instructions');
  });

  it('says where a script is wrong', () => {
    expect(() => runHealthScript('return obj.status.phase', {})).toThrow(/health.lua"\]:1: attempt to index/);
    expect(() => runHealthScript('return', {})).toThrow('no table');
  });
});
