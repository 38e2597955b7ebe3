/** A Kubernetes quantity as a number: `3920m` is 3.92, `16Gi` is 17179869184; undefined when it is none. */
export function quantity(text: string | number | undefined): number | undefined {
  const match = /^([+-]?\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(String(text ?? ''));
  if (match === null) return undefined;
  const [, digits, exponent, suffix] = match;
  return Number(digits) * (exponent === undefined ? (factors[suffix ?? ''] ?? 1) : 10 ** Number(exponent));
}

/** Bytes for people: `15.3 GiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${round(bytes / 1024 ** step)} ${units[step]}`;
}

/** One digit behind the point at most. */
export function round(value: number): number {
  return Number(value.toFixed(1));
}

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
