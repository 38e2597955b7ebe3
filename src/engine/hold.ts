import type { Emit } from './event-queue.ts';
import { inParallel } from './in-parallel.ts';
import { createKeeper } from './keep-held.ts';
import type { HeldProject, World } from './ports.ts';

/**
 * The hold: a deny sync window with manualSync on every AppProject, naming the Applications whose turn has not come.
 * Argo CD's own automation leaves them alone, our operations go through, everybody can see it, and it survives our crash.
 */
export interface Hold {
  /** Holds these too, in the AppProjects to which they may belong; everywhere: also where they do not belong now, because Git may move them. */
  add(applications: Iterable<string>, signal: AbortSignal, where?: 'everywhere'): Promise<void>;
  /** Puts the window on AppProjects that have appeared since. */
  cover(signal: AbortSignal): Promise<void>;
  /**
   * The same as soon as a watch shows an AppProject that is new, or whose window somebody took away, until the signal is aborted: Argo CD starts
   * what belongs there at its next look. Never fails: that nothing can be watched is told, and thrown to whoever asks to cover now and then.
   */
  keep(signal: AbortSignal): Promise<void>;
  /**
   * The same now and then, for what no watch has shown, and not before the watch has begun. It is done beside whatever the caller does; only
   * when it was not to be done for a while the caller waits for it.
   */
  coverNowAndThen(signal: AbortSignal): Promise<void>;
  release(applications: Iterable<string>, signal: AbortSignal): Promise<void>;
  /** When everything that was begun is written, also what nobody waits for: before the lease is given back, or another one writes. */
  settled(): Promise<void>;
  readonly held: ReadonlySet<string>;
}

export function createHold(world: World, emit: Emit, alreadyHeld: Iterable<string>): Hold {
  const held = new Set(alreadyHeld);
  const everywhere = new Set<string>();
  const teller = createTeller(emit);
  let begunAt = 0;
  let coveredAt = 0;
  /** One after the other: what one has read is old when another has written. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(signal: AbortSignal, order: 'hold' | 'release'): Promise<void> {
    begunAt = world.clock.now();
    const writing = last.then(() => write(signal, order));
    last = writing.catch(() => undefined);
    return writing;
  }

  async function write(signal: AbortSignal, order: 'hold' | 'release'): Promise<void> {
    signal.throwIfAborted();
    const at = world.clock.now();
    for (const together of inSteps(await world.argocd.projects(signal), order))
      await inParallel(together, (project) => writeTo(project, order, signal));
    coveredAt = at;
  }

  async function writeTo(project: HeldProject, order: 'hold' | 'release', signal: AbortSignal): Promise<void> {
    const wanted = wantedIn(project);
    const isAsWanted = order === 'hold' ? isEnough(project.held, wanted, held) : same(wanted, project.held);
    if (!isAsWanted && (await world.argocd.hold(project.name, wanted, signal)) !== 'changed') return;
    const gone = project.held.filter((name) => !held.has(name));
    teller.written(project.name, wanted, gone);
  }

  function wantedIn({ name: project }: HeldProject): readonly string[] {
    return [...held].filter((name) => everywhere.has(name) || mayBelong(world, name, project)).sort();
  }

  const { keep, mustWatch } = createKeeper(world, emit, {
    isLacking: (projects) => !projects.every((project) => isEnough(project.held, wantedIn(project), held)),
    cover: (signal) => inTurn(signal, 'hold'),
  });

  return {
    held,
    keep,
    async add(applications, signal, where) {
      for (const name of applications) {
        held.add(name);
        if (where === 'everywhere') everywhere.add(name);
      }
      await inTurn(signal, 'hold');
    },
    cover: (signal) => inTurn(signal, 'hold'),
    async coverNowAndThen(signal) {
      await mustWatch();
      const now = world.clock.now();
      if (now - begunAt < lookAgainMs) return;
      const covering = inTurn(signal, 'hold');
      if (now - coveredAt >= longestMs) await covering;
      // Whoever comes next tries again, and hears of it when it never works.
      else covering.catch(() => undefined);
    },
    async release(applications, signal) {
      for (const name of applications) held.delete(name);
      await inTurn(signal, 'release');
      teller.goneWithProjects(held);
    },
    async settled() {
      await last;
    },
  };
}

interface Teller {
  /** The window of this AppProject names these now, and those no longer. */
  written(project: string, wanted: readonly string[], gone: readonly string[]): void;
  /** A window goes with its AppProject: nobody had to write that, but it must be told. */
  goneWithProjects(held: ReadonlySet<string>): void;
}

/** Tells each thing once: an Application that is held, and one that is not any more. */
function createTeller(emit: Emit): Teller {
  /** AppProject → what we said is held there. */
  const told = new Map<string, Set<string>>();

  function tell(type: 'hold-set' | 'hold-released', project: string, applications: readonly string[]): void {
    if (applications.length > 0) emit({ type, project, applications });
  }

  return {
    written(project, wanted, gone) {
      // Also what was held before this run: it is held now, and a report must say so.
      const before = told.get(project);
      tell(
        'hold-set',
        project,
        wanted.filter((name) => before?.has(name) !== true),
      );
      tell('hold-released', project, gone);
      // A name that turned out to belong to another AppProject is still held, just not here.
      told.set(project, new Set(wanted));
    },
    goneWithProjects(held) {
      for (const [project, names] of told) {
        const gone = [...names].filter((name) => !held.has(name));
        tell('hold-released', project, gone);
        for (const name of gone) names.delete(name);
      }
    },
  };
}

/** A window on an AppProject that is itself in Git is healed back unless the parents are held first; they live in `default`. */
function inSteps(projects: readonly HeldProject[], order: 'hold' | 'release'): readonly (readonly HeldProject[])[] {
  const sorted = [...projects].sort((a, b) => (a.name < b.name ? -1 : 1));
  const first = sorted.filter(({ name }) => name === 'default');
  const others = sorted.filter(({ name }) => name !== 'default');
  return order === 'hold' ? [first, others] : [others, first];
}

/** Often enough to notice, seldom enough not to count. */
const lookAgainMs = 30_000;
const longestMs = 90_000;

/** An Application that does not exist yet could come up in any AppProject: it is held in all of them. */
function mayBelong(world: World, application: string, project: string): boolean {
  const seen = world.argocd.application(application);
  return seen === undefined || seen.project === project;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}

/** One that has turned out to belong elsewhere does no harm here, and a write for each would: it goes with the release. */
function isEnough(there: readonly string[], wanted: readonly string[], held: ReadonlySet<string>): boolean {
  return wanted.every((name) => there.includes(name)) && there.every((name) => held.has(name));
}
