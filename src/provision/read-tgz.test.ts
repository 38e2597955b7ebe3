import { describe, expect, it } from 'vitest';
import { tgz } from './chart.fixture.ts';
import { readTgz } from './read-tgz.ts';

const text = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString();

describe('an archive', () => {
  it('gives its files, whatever their length', () => {
    const long = 'x'.repeat(1500);
    const files = readTgz(
      tgz([
        { path: 'chart', type: '5' },
        { path: 'chart/a', text: 'a' },
        { path: 'chart/empty' },
        { path: 'chart/long', text: long },
      ]),
    );
    expect([...files.keys()]).toEqual(['chart/a', 'chart/empty', 'chart/long']);
    expect(text(files.get('chart/long'))).toBe(long);
  });

  it('may say long names before their files, in both ways', () => {
    const name = `chart/${'n'.repeat(150)}`;
    const record = ` path=${name}\n`;
    const posix = `${record.length + 3}${record}`;
    expect([
      ...readTgz(
        tgz([
          { path: 'h', text: posix, type: 'x' },
          { path: 'short', text: 'a' },
        ]),
      ).keys(),
    ]).toEqual([name]);
    expect([
      ...readTgz(
        tgz([
          { path: 'h', text: `${name}\0`, type: 'L' },
          { path: 'short', text: 'a' },
        ]),
      ).keys(),
    ]).toEqual([name]);
  });

  it.each([
    ['a path upwards', [{ path: 'chart/../../etc/passwd' }], 'leads elsewhere'],
    ['an absolute path', [{ path: '/etc/passwd' }], 'leads elsewhere'],
    ['a path of another system', [{ path: 'chart\\..\\x' }], 'leads elsewhere'],
    ['a path upwards in a long name', [{ path: 'h', text: '../../x\0', type: 'L' }, { path: 'a' }], 'leads elsewhere'],
    ['a symbolic link', [{ path: 'chart/link', type: '2' }], 'a link or a device'],
    ['a hard link', [{ path: 'chart/link', type: '1' }], 'a link or a device'],
    ['a device', [{ path: 'chart/null', type: '3' }], 'a link or a device'],
    ['a file twice', [{ path: 'a' }, { path: 'a' }], 'twice'],
  ])('with %s is refused', (_what, entries, why) => {
    expect(() => readTgz(tgz(entries))).toThrow(why);
  });

  it('that is cut off, or is none, is refused', () => {
    const whole = tgz([{ path: 'a', text: 'x'.repeat(5000) }]);
    expect(() => readTgz(whole.subarray(0, whole.length - 20))).toThrow('damaged');
    expect(() => readTgz(Buffer.from('<html>not found</html>'))).toThrow('no gzip archive');
  });
});
