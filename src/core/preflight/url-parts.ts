/** Of an address with a scheme; core has no URL. */
export interface UrlParts {
  readonly scheme: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number | undefined;
  /** As it stands in the address: `registry.example.com:5000`. */
  readonly place: string;
}

/** `ssh://git@host:2222/team/repo` → its parts; undefined when it is no address. */
export function urlParts(url: string): UrlParts | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/?#]*@)?((\[[^\]]*\]|[^:/?#]*)(?::(\d+))?)(?:[/?#]|$)/i.exec(url);
  if (match === null) return undefined;
  const [, scheme = '', place = '', host = '', port] = match;
  const bare = host.replace(/^\[|\]$/g, '');
  return { scheme: scheme.toLowerCase(), host: bare, port: port === undefined ? undefined : Number(port), place };
}

/** Host and port as people read them. */
export function placeOf(url: string): string {
  return urlParts(url)?.place ?? url;
}
