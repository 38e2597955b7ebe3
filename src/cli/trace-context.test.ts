import { expect, it } from 'vitest';
import { traceparentOf } from './trace-context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

it('makes a W3C trace context of both ids (R7.12)', () => {
  expect(traceparentOf({ TRACE_ID: trace.toUpperCase(), SPAN_ID: span })).toBe(`00-${trace}-${span}-01`);
  expect(traceparentOf({})).toBeUndefined();
});

it.each([
  { TRACE_ID: trace },
  { SPAN_ID: span },
  { TRACE_ID: trace.slice(1), SPAN_ID: span },
  { TRACE_ID: '0'.repeat(32), SPAN_ID: span },
  { TRACE_ID: trace, SPAN_ID: 'not-hexadecimal!' },
])('refuses ids that are none: %o', (env) => {
  expect(() => traceparentOf(env)).toThrow(/_ID cannot be/);
});
