import { invalid } from './settings.ts';

/** The parts of a `host:port`, or an error that names the option. */
export function listenAddress(option: string, text: string): { readonly host: string; readonly port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) throw invalid(option, text, 'host:port, for example 127.0.0.1:0');
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
}
