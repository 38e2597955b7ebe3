import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { withOwnMetrics } from './with-own-metrics.ts';

const own = { enabled: true, path: '/metrics', port: 20017, secure: false };

describe('the settings of the Workflows controller', () => {
  it('get the testbed’s own metrics port, and keep everything else, also of the metrics', () => {
    const config =
      'parallelism: 4\nmetricsConfig:\n  path: /telemetry\n  metricsTTL: 10m\n  port: 9090\n  secure: true\n';
    const { data, metadata } = changed({ config });
    expect(Object.keys(data)).toEqual(['config']);
    expect(parse(data['config'] ?? '')).toEqual({ parallelism: 4, metricsConfig: { metricsTTL: '10m', ...own } });
    expect(metadata).toEqual({ name: 'settings' });
  });

  it('get it also when nothing is said of metrics, which then would be on the usual port', () => {
    expect(parse(changed({ config: 'parallelism: 4\n' }).data['config'] ?? '')).toMatchObject({ metricsConfig: own });
    expect(parse(changed({ config: '' }).data['config'] ?? '')).toEqual({ metricsConfig: own });
  });

  it('get it in the form with one entry a setting', () => {
    const { data } = changed({ parallelism: '4', metricsConfig: '{ enabled: false }' });
    expect([data['parallelism'], parse(data['metricsConfig'] ?? '')]).toEqual(['4', own]);
  });
});

function changed(data: Readonly<Record<string, string>>) {
  const text = JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'settings' }, data });
  return JSON.parse(withOwnMetrics(text, 20017)) as { data: Record<string, string>; metadata: object };
}
