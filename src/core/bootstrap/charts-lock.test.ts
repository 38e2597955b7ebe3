import { describe, expect, it } from 'vitest';
import { readChartsLock } from './charts-lock.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const chart = `  - name: argo-cd
    version: 10.8.0
    appVersion: v3.5.2
    source: { repository: https://charts.example.com }
    digest: ${digest}
`;

describe('charts.lock', () => {
  it('names chart, version, source and digest', () => {
    expect(readChartsLock(`charts:\n${chart}`)).toEqual({
      charts: [
        {
          name: 'argo-cd',
          version: '10.8.0',
          appVersion: 'v3.5.2',
          source: { repository: 'https://charts.example.com' },
          digest,
        },
      ],
    });
    expect(readChartsLock(`charts:\n${chart.replace('repository: https', 'oci: oci')}`)).toHaveProperty('charts');
  });

  it.each([
    ['nothing', '', 'it: '],
    ['no YAML', 'charts: [', 'it is not YAML'],
    ['a name that is a path', `charts:\n${chart.replace('argo-cd', '../argo-cd')}`, 'charts.0.name'],
    ['a range of versions', `charts:\n${chart.replace('10.8.0', '^10')}`, 'charts.0.version'],
    ['a short digest', `charts:\n${chart.replace('sha256:000', 'sha256:')}`, 'charts.0.digest'],
    ['a source over plain http', `charts:\n${chart.replace('https:', 'http:')}`, 'charts.0.source'],
    ['an unknown key', `charts:\n${chart}    digets: x\n`, 'charts.0'],
    ['a chart twice', `charts:\n${chart}${chart}`, 'argo-cd is there twice'],
  ])('says what is wrong with %s', (_what, text, wrong) => {
    expect(readChartsLock(text)).toEqual({ wrong: expect.stringContaining(wrong) });
  });
});
