// Draws the pictures of the README again: `npm run build && node docs/pictures/make.mjs`.
// Needs tmux (Debian: apt-get install tmux), because the live view only shows itself to a terminal.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { plainText, screenSvg } from './screen-svg.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const picture = (name) => fileURLToPath(new URL(name, import.meta.url));
const size = { columns: 110, rows: 32 };

execFileSync('bin/tiphys', ['graph', 'platforms/reference', '-o', 'svg', '--out', picture('graph.svg')], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'ignore'],
});

const folder = mkdtempSync(join(tmpdir(), 'tiphys-pictures-'));
const tmux = (...args) =>
  execFileSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
try {
  const command = `cd '${root}' && exec bin/tiphys deploy platforms/reference --sandbox`;
  tmux('new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), command);
  tmux('set-option', '-g', 'remain-on-exit', 'on');
  writeFileSync(picture('live-view.svg'), screenSvg(await richestScreen(), size));
} finally {
  tmux('kill-server');
  rmSync(folder, { recursive: true, force: true });
}

/** The screen that shows most: apps in every stage at once. Looks until the run is nearly over. */
async function richestScreen() {
  let best = { screen: '', score: -1 };
  for (let look = 0; look < 300; look++) {
    await sleep(100);
    const screen = tmux('capture-pane', '-e', '-p');
    const score = scoreOf(plainText(screen));
    if (score > best.score) best = { screen, score };
    if (tmux('display-message', '-p', '#{pane_dead}').trim() === '1') break;
  }
  if (best.score <= 0)
    throw new Error('no live view was seen; does `bin/tiphys deploy platforms/reference --sandbox` run?');
  return best.screen;
}

/** The middle of the run, with apps at work and apps that wait, but nothing that is only there for a moment. */
function scoreOf(screen) {
  const stages = ['starting', 'syncing', 'health'].filter((stage) => new RegExp(`s {2}${stage}\\b`).test(screen));
  const working = screen.match(/s {2}(syncing|health)\b/g)?.length ?? 0;
  const waiting = screen.match(/^· after/gm)?.length ?? 0;
  if (/blocked by sync window/.test(screen) || !/Critical path/.test(screen)) return 0;
  const [, done = 0, all = 1] = (/(\d+)\/(\d+) · /.exec(screen) ?? []).map(Number);
  const isMiddle = done / all > 0.4 && done / all < 0.8;
  return (isMiddle ? 100 : 0) + 3 * stages.length + 4 * Math.min(working, 9) + Math.min(waiting, 8);
}
