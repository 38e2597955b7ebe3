import { describe, expect, it } from 'vitest';
import { judgeComparison, newSince } from './cluster-snapshot.ts';
import { failed, passed, unseen, warned } from './finding.ts';
import { preflightHtml } from './preflight-html.ts';
import { preflightMarkdown } from './preflight-markdown.ts';
import { checkWith, reportOf, sampleReport } from './preflight-report.fixture.ts';
import { preflightText } from './preflight-text.ts';

const plain = { width: 100, color: false };
const hostile = `"><script>alert('1')</script>\u001b[31m\u202e|**x**`;

describe('the verdict of phase 0', () => {
  it('is exit 3 when a tool is missing, whatever else failed', () => {
    const tool = checkWith('tools', failed('yq', 'not found', 'Install it.'));
    const cluster = checkWith('cluster', failed('API server', 'no answer', 'Start it.'));
    expect(reportOf(cluster, tool)).toMatchObject({ outcome: 'not-ready', exitCode: 3 });
    expect(reportOf(cluster)).toMatchObject({ outcome: 'not-ready', exitCode: 1 });
  });

  it('is exit 0 with warnings, also for what nobody looked at', () => {
    expect(reportOf(checkWith('cluster', warned('workers', '1', 'Add some.')))).toMatchObject({
      outcome: 'warnings',
      exitCode: 0,
    });
    expect(reportOf(checkWith('cluster', unseen('x', 'y', 'z')))).toMatchObject({
      outcome: 'warnings',
      counts: { notLookedAt: 1 },
    });
    expect(reportOf(checkWith('cluster', passed('nodes', '3')))).toMatchObject({ outcome: 'ready', exitCode: 0 });
  });
});

describe('the report of phase 0 (R3.5)', () => {
  it('holds validation, inventory, connectivity, credentials and the snapshot', () => {
    const report = sampleReport();
    expect(report.checks.map(({ area }) => area)).toEqual([
      'tools',
      'cluster',
      'connectivity',
      'credentials',
      'leftovers',
    ]);
    expect(report.inventory.nodes).toHaveLength(1);
    expect(report.connectivity).toEqual([
      {
        about: 'registry quay.io',
        verdict: 'pass',
        saw: 'quay.io answered 401 in 12 ms',
        address: 'https://quay.io/v2/',
        from: 'here',
        milliseconds: 12,
      },
    ]);
    expect(report.credentials).toEqual([{ about: 'kubeconfig', verdict: 'pass', saw: 'accepted as admin' }]);
    expect(report.snapshot?.objects).toEqual(['Namespace default', 'Secret default/a']);
  });

  it('tells a person first what failed and what to do, and one cause once', () => {
    expect(preflightText(sampleReport(), plain)).toMatchInlineSnapshot(`
      "✗ preflight acme: not ready · 1 failed, 3 warnings, 3 passed · 4.2s
        environment production, cluster prod-1; nothing was changed

      Failures
        ✗ yq  Check of tools
            not found in PATH; 4.0 or newer is needed
            → Install yq 4.

      Warnings
        ! namespace vault  Check of leftovers
            has the name of an app
            → Look with \`kubectl get all -n vault\`.

      Not looked at
        · Nodes, Workers: the API server does not answer
            → Mend “API server answers” first.

      Checks
        ✗ Check of tools         1 of 2 passed  0.4s
        ! Check of cluster       0 of 2 passed  0.4s
        ✓ Check of connectivity  quay.io answered 401 in 12 ms  0.4s
        ✓ Check of credentials   accepted as admin  0.4s
        ! Check of leftovers     has the name of an app  0.4s

      Cluster
        · Kubernetes v1.34.1
        · 1 node, 1 of them take pods
        · 6.5 of 8 cores, 32 GiB of 32 GiB memory and 110 of 110 pods are free
        · storage classes: standard

      Nodes
        ✓ worker-1  Ready  worker  v1.34.1  8 cores

      Connectivity
        ✓ registry quay.io, from here: quay.io answered 401 in 12 ms

      Credentials
        ✓ kubeconfig: accepted as admin

      Snapshot
        · 2 objects of 2 kinds (1 Namespace, 1 Secret)

      What next
        · Install what is missing on this machine (see Failures), then run \`tiphys preflight\` again."
    `);
  });

  it('is Markdown for a ticket', () => {
    expect(preflightMarkdown(sampleReport())).toMatchInlineSnapshot(`
      "# ❌ preflight acme: not ready

      1 failed, 3 warnings, 3 passed · 4.2s · environment production, cluster prod-1 · 2026-01-02T03:04:05.000Z

      ## Failures

      - **yq** (Check of tools): not found in PATH; 4.0 or newer is needed
        **→** Install yq 4.

      ## Warnings

      - **namespace vault** (Check of leftovers): has the name of an app
        **→** Look with \`kubectl get all -n vault\`.

      ## Not looked at

      - **Nodes, Workers**: not looked at: the API server does not answer **→** Mend “API server answers” first.

      ## Checks

      | check | verdict | what | saw | took |
      | --- | --- | --- | --- | --- |
      | Check of tools | ✓ pass | helm | 3.21.4 | 0.4s |
      |  | ✗ fail | yq | not found in PATH; 4.0 or newer is needed |  |
      | Check of cluster | ! warn | Nodes | not looked at: the API server does not answer | 0.4s |
      |  | ! warn | Workers | not looked at: the API server does not answer |  |
      | Check of connectivity | ✓ pass | registry quay.io | quay.io answered 401 in 12 ms | 0.4s |
      | Check of credentials | ✓ pass | kubeconfig | accepted as admin | 0.4s |
      | Check of leftovers | ! warn | namespace vault | has the name of an app | 0.4s |

      ## Cluster

      - Kubernetes v1.34.1
      - 1 node, 1 of them take pods
      - 6.5 of 8 cores, 32 GiB of 32 GiB memory and 110 of 110 pods are free
      - storage classes: standard

      ## Connectivity

      |  | what | address | from | proxy | answered in |
      | --- | --- | --- | --- | --- | --- |
      | ✓ | registry quay.io | https://quay.io/v2/ | here |  | 12 ms |

      ## Credentials

      |  | of | saw |
      | --- | --- | --- |
      | ✓ | kubeconfig | accepted as admin |

      ## Snapshot

      - 2 objects of 2 kinds (1 Namespace, 1 Secret)

      ## What next

      - Install what is missing on this machine (see Failures), then run \`tiphys preflight\` again."
    `);
  });

  it('is a page that needs nothing from outside, with every output of R3.5', () => {
    const page = preflightHtml(sampleReport());
    expect(page).not.toMatch(/(src|href)="(?!#)|url\(|@import|<script/);
    for (const part of [
      'Failures',
      'Not looked at',
      'Checks',
      'Cluster',
      'Connectivity',
      'Credentials',
      'Snapshot',
      'What next',
    ])
      expect(page).toContain(`<h2>${part}`);
    expect(page.indexOf('<h2>Failures')).toBeLessThan(page.indexOf('<h2>Checks'));
  });

  it('takes nothing from outside for markup, and lets nothing steer the terminal', () => {
    const finding = {
      ...failed(hostile, hostile, hostile),
      endpoint: { address: hostile, from: 'here' as const, via: hostile },
    };
    const report = reportOf(checkWith('credentials', finding), checkWith('cluster', unseen(hostile, hostile, hostile)));
    expect(preflightHtml(report)).not.toMatch(/<script>alert|\u202e/);
    for (const steering of ['\u001b', '\u202e']) expect(preflightText(report, plain)).not.toContain(steering);
    expect(preflightMarkdown(report)).not.toMatch(/<script>|[^\\]\*\*x\*\*/);
  });
});

describe('a snapshot', () => {
  const before = { takenAt: '2026-01-01T00:00:00.000Z', objects: ['Namespace default'], unread: ['Secret'] };

  it('shows what has been added since, but not of kinds that could not be read', () => {
    const now = { takenAt: '', objects: ['Namespace default', 'Namespace vault', 'Secret vault/key'], unread: [] };
    expect(newSince(before, now)).toEqual(['Namespace vault']);
    expect(judgeComparison(before, now)).toMatchObject([{ verdict: 'warn', about: 'Namespace vault' }]);
    expect(judgeComparison(before, before)).toMatchObject([{ verdict: 'pass' }]);
  });
});
