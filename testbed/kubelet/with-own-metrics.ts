import { parse, stringify } from 'yaml';

/** The Workflows controller's ConfigMap, as JSON, with metrics where the testbed looks for them; all else as it is. */
export function withOwnMetrics(text: string, port: number): string {
  // What the API server answers to a request for a ConfigMap.
  const found = JSON.parse(text) as { readonly data?: Readonly<Record<string, string>> };
  const { config, ...entries } = found.data ?? {};
  if (config === undefined) {
    // One entry a setting, each of them YAML.
    const metricsConfig = stringify(withPort(parse(entries['metricsConfig'] ?? ''), port));
    return JSON.stringify({ ...found, data: { ...entries, metricsConfig } });
  }
  const settings = settingsIn(parse(config));
  const metricsConfig = withPort(settings['metricsConfig'], port);
  return JSON.stringify({ ...found, data: { config: stringify({ ...settings, metricsConfig }) } });
}

function withPort(metrics: unknown, port: number): object {
  return { ...settingsIn(metrics), enabled: true, path: '/metrics', port, secure: false };
}

function settingsIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
