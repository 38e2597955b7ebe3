/** Something that goes wrong on purpose with one app. */
export interface Fault {
  readonly app: string;
  readonly kind: FaultKind;
  /** `sync-fails:<times>`: how many attempts fail before one succeeds; undefined: all of them. */
  readonly times?: number;
}

export type FaultKind = (typeof faultKinds)[number];

export const faultKinds = ['degraded', 'never-healthy', 'sync-fails', 'sealed', 'empty', 'stuck-finalizer'] as const;

/** Reads `app=fault`, or says in a sentence what is wrong with it. */
export function parseFault(text: string): Fault | { readonly error: string } {
  const equals = text.indexOf('=');
  if (equals < 1) return { error: `\`${text}\` is not a fault; write <app>=<fault>, for example web=degraded.` };
  return parseFaultOf(text.slice(0, equals), text.slice(equals + 1));
}

/** Reads the part behind the `=`, which is also how a scenario names a fault of an app. */
export function parseFaultOf(app: string, text: string): Fault | { readonly error: string } {
  const [name = '', times, ...more] = text.split(':');
  const kind = faultKinds.find((known) => known === name);
  const isCounted = kind === 'sync-fails' && times !== undefined && /^[1-9]\d{0,5}$/.test(times);
  if (kind === undefined || more.length > 0 || (times !== undefined && !isCounted)) {
    return { error: `\`${text}\` is not a fault that the sandbox knows; it knows ${known}.` };
  }
  return { app, kind, ...(isCounted ? { times: Number(times) } : {}) };
}

const known = [...faultKinds, 'sync-fails:<times>'].join(', ');
