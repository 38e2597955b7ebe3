import { invalid } from './settings.ts';

/** R7.12: the trace that this run is a part of, as W3C writes it; undefined when nobody traces. */
export function traceparentOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { TRACE_ID: trace = '', SPAN_ID: span = '' } = env;
  if (trace === '' && span === '') return undefined;
  if (!isId(trace, 32)) throw invalid('TRACE_ID', trace, '32 hexadecimal digits, not all zero');
  if (!isId(span, 16)) throw invalid('SPAN_ID', span, '16 hexadecimal digits, not all zero');
  return `00-${trace.toLowerCase()}-${span.toLowerCase()}-01`;
}

function isId(text: string, digits: number): boolean {
  return text.length === digits && /^[0-9a-f]+$/i.test(text) && !/^0+$/.test(text);
}
