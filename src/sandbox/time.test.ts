import { expect, it } from 'vitest';
import { virtualTime } from './time.ts';

it('wakes sleepers of one moment in the order in which they went to sleep', async () => {
  const time = virtualTime();
  const woken: string[] = [];
  const sleeper = async (name: string, ms: number): Promise<void> => {
    await time.sleep(ms);
    woken.push(`${name} ${ms}`);
  };
  await time.run(Promise.all([sleeper('a', 20), sleeper('b', 10), sleeper('c', 20)]));
  expect(woken).toEqual(['b 10', 'a 20', 'c 20']);
});

it('says so when something waits, but not for time', async () => {
  await expect(virtualTime().run(new Promise(() => undefined))).rejects.toThrow('not for time');
});

it('says so when somebody looks again and again without waiting, instead of never ending', async () => {
  const time = virtualTime();
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) await time.sleep(0);
  };
  await expect(time.run(loop())).rejects.toThrow('again and again');
  isOver = true;
});
