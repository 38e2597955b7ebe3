import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeAnsible, fakePython } from './fake-ansible.fixture.ts';
import { prepareAnsible } from './prepare-ansible.ts';

const root = mkdtempSync(join(tmpdir(), 'tiphys-ansible-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const signal = new AbortController().signal;
let place = '';
let told: string[] = [];

beforeEach(() => {
  place = mkdtempSync(join(root, 'place-'));
  told = [];
  writeFileSync(join(place, 'requirements.txt'), 'ansible==12.3.0 --hash=sha256:0\n');
  mkdirSync(join(place, 'path'));
});

describe('an Ansible that is there', () => {
  it('is used when somebody names its folder, or the environment it is in', async () => {
    fakeAnsible(join(place, 'named', 'bin'));
    const playbook = join(place, 'named', 'bin', 'ansible-playbook');
    expect(await prepare({ named: join(place, 'named') })).toBe(playbook);
    expect(await prepare({ named: join(place, 'named', 'bin') })).toBe(playbook);
  });

  it('is used when it is in PATH and will do', async () => {
    fakeAnsible(join(place, 'path'));
    expect(await prepare()).toBe(join(place, 'path', 'ansible-playbook'));
    expect(told).toEqual([]);
  });

  it.each([
    ['too old', { core: '2.14.9' }, 'is core 2.14.9, not 2.15'],
    ['without the collection', { collection: '' }, 'has no collection kubernetes.core'],
    ['with an old collection', { collection: '3.2.0' }, 'kubernetes.core is 3.2.0, not 4.0'],
    ['without a Python package', { packages: 'missing' as const }, 'No module named kubernetes'],
  ])('is not used when it is %s: named it is an error, in PATH another one is made', async (_what, fake, why) => {
    fakeAnsible(join(place, 'path'), fake);
    await expect(prepare({ named: join(place, 'path') })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining(why),
    });
    fakePython(join(place, 'path'));
    expect(await prepare()).toMatch(/\/cache\/tiphys\/ansible-[0-9a-f]{16}\/bin\/ansible-playbook$/);
    expect(told[0]).toContain(why);
  });

  it('that is named and is not there is an error that says how to fill it', async () => {
    await expect(prepare({ named: join(place, 'nowhere') })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('there is no ansible-playbook in it'),
      hint: expect.stringContaining('--require-hashes'),
    });
  });
});

describe('an Ansible that is made', () => {
  it('is made once, and found again', async () => {
    fakePython(join(place, 'path'));
    const first = await prepare();
    expect(await prepare()).toBe(first);
    expect(made()).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  it('is made anew when the pinned packages change', async () => {
    fakePython(join(place, 'path'));
    const first = await prepare();
    writeFileSync(join(place, 'requirements.txt'), 'ansible==12.4.0 --hash=sha256:1\n');
    expect(await prepare()).not.toBe(first);
  });

  it('is made by two at once without harm', async () => {
    fakePython(join(place, 'path'));
    const [one, other] = await Promise.all([prepare(), prepare()]);
    expect(one).toBe(other);
    expect(await prepare()).toBe(one);
    expect(made().length).toBeLessThanOrEqual(2);
  });

  it('is made anew after a builder was killed in the middle; what that left is swept a day later', async () => {
    fakePython(join(place, 'path'));
    const playbook = await prepare();
    const cache = join(place, 'cache', 'tiphys');
    const link = readdirSync(cache).find((name) => !name.includes('.')) ?? '';
    rmSync(join(cache, link));
    // As a build that was killed looks: a folder of its own, and no link.
    mkdirSync(join(cache, `${link}.dead`, 'bin'), { recursive: true });
    utimesSync(join(cache, `${link}.dead`), 1, 1);
    mkdirSync(join(cache, `${link}.busy`));
    expect(await prepare()).toBe(playbook);
    expect(readdirSync(cache)).toContain(`${link}.busy`);
    expect(readdirSync(cache)).not.toContain(`${link}.dead`);
    expect(made()).toContain(join(cache, readlinkSync(join(cache, link))));
  });

  it('is made anew when somebody emptied the cache under it', async () => {
    fakePython(join(place, 'path'));
    const playbook = await prepare();
    rmSync(playbook);
    expect(await prepare()).toBe(playbook);
    expect(made()).toHaveLength(2);
  });

  it.each([
    ['there is no Python', undefined, 'python3 is not in PATH', 'Install Python 3.11'],
    ['Python is too old', 'old', 'no Python 3.11 or newer in PATH (python3 is 3.9)', 'Install Python 3.11'],
    ['Python cannot make environments', 'no-venv', 'python3 has no module venv', 'python3-venv'],
    ['nothing can be loaded', 'network', 'could not be loaded', 'PIP_INDEX_URL'],
    ['a package is not the pinned one', 'hashes', 'its hash is another', 'Do not install it'],
  ] as const)('cannot be made when %s: exit 3, and nothing half made stays', async (_what, trouble, message, hint) => {
    if (trouble !== undefined) fakePython(join(place, 'path'), trouble);
    await expect(prepare()).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
    expect(readdirSync(join(place, 'cache', 'tiphys'))).toEqual([]);
  });

  it('needs a folder that can be written', async () => {
    await expect(prepare({ cache: undefined })).rejects.toMatchObject({
      exitCode: 3,
      hint: expect.stringContaining('XDG_CACHE_HOME'),
    });
    writeFileSync(join(place, 'file'), '');
    await expect(prepare({ cache: join(place, 'file') })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('cannot be written'),
    });
  });

  it('is not called missing when somebody has stopped us', async () => {
    fakePython(join(place, 'path'));
    await expect(prepare({}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });
});

function prepare(
  over: { readonly named?: string; readonly cache?: string | undefined } = {},
  stop: AbortSignal = signal,
): Promise<string> {
  return prepareAnsible(
    {
      named: undefined,
      cache: join(place, 'cache'),
      requirements: join(place, 'requirements.txt'),
      env: { PATH: join(place, 'path') },
      scratch: place,
      tell: (sentence) => told.push(sentence),
      ...over,
    },
    stop,
  );
}

function made(): string[] {
  return readFileSync(join(place, 'path', 'made'), 'utf8')
    .trim()
    .split('\n');
}
