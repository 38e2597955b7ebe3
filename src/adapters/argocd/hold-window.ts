import * as z from 'zod';

/** A sync window as it stands in an AppProject; fields we do not know are kept. */
export type SyncWindow = Readonly<Record<string, unknown>>;

const Window = z.record(z.string(), z.unknown());

/** The windows of an AppProject, whoever made them. */
export function windowsOf(project: unknown): readonly SyncWindow[] {
  const parsed = z.object({ spec: z.object({ syncWindows: z.array(Window).nullish() }).optional() }).safeParse(project);
  return parsed.success ? (parsed.data.spec?.syncWindows ?? []) : [];
}

/** The Applications our own window names. */
export function heldIn(windows: readonly SyncWindow[], platform: string): readonly string[] {
  return windows
    .filter((window) => isOurs(window, platform))
    .flatMap((window) => z.array(z.string()).catch([]).parse(window['applications']));
}

/** The same windows with ours naming exactly these Applications; without any, ours goes. Other people's windows stay as they are. */
export function withHold(
  windows: readonly SyncWindow[],
  platform: string,
  applications: readonly string[],
): readonly SyncWindow[] {
  const others = windows.filter((window) => !isOurs(window, platform));
  if (applications.length === 0) return others;
  const ours: SyncWindow = {
    kind: 'deny',
    // Starts anew every minute and lasts a day: always open.
    schedule: '* * * * *',
    duration: '24h',
    applications: [...applications],
    manualSync: true,
    description: `${mark(platform)} held until its turn`,
  };
  return [...others, ours];
}

function isOurs(window: SyncWindow, platform: string): boolean {
  const description = window['description'];
  return typeof description === 'string' && description.startsWith(mark(platform));
}

function mark(platform: string): string {
  return `tiphys ${platform}:`;
}
