import type { Observed, ObservedApplication } from '../plan/observed.ts';
import { isApplication } from '../platform/application-name.ts';
import type { App, Platform } from '../platform/platform.ts';
import type { Finding } from '../report/report.ts';

/** What is against the rules, or worth knowing, in what is deployed. Sorted by app, then rule. */
export function findings(platform: Platform, observed: Observed): readonly Finding[] {
  const held = new Set([...observed.projects.values()].flatMap((project) => project.held));
  const found = [...platform.apps.values()].flatMap((app) => {
    const seen = observed.applications.get(app.application);
    return seen === undefined ? [] : rules.flatMap((rule) => rule({ app, seen, platform, observed, held }) ?? []);
  });
  return [...found, ...strangers(platform, observed)].sort((a, b) => key(a).localeCompare(key(b), 'en'));
}

interface Subject {
  readonly app: App;
  readonly seen: ObservedApplication;
  readonly platform: Platform;
  readonly observed: Observed;
  readonly held: ReadonlySet<string>;
}

type Rule = (subject: Subject) => Finding | readonly Finding[] | undefined;

const rules: readonly Rule[] = [
  function deployedInOrder({ app, seen, platform, observed }) {
    return app.needs.flatMap((need): Finding[] => {
      const other = observed.applications.get(platform.apps.get(need.node)?.application ?? '');
      const [mine, theirs] = [seen.history[0]?.deployedAt, other?.history[0]?.deployedAt];
      if (need.edge === 'soft' || mine === undefined || theirs === undefined || mine >= theirs) return [];
      return [
        finding('deployed-in-order', app, [
          'warning',
          `was first deployed ${mine}, before ${need.node}, which it needs (${theirs})`,
          'Deploy through tiphys, so that its needs come first.',
        ]),
      ];
    });
  },
  function noOrderingAnnotations({ app, seen }) {
    const what = [
      ...(seen.syncWave === undefined ? [] : [`sync wave ${seen.syncWave}`]),
      ...(seen.hook === undefined ? [] : [`hook ${seen.hook}`]),
    ];
    if (what.length === 0) return undefined;
    return finding('no-ordering-annotations', app, [
      'warning',
      `its Application carries ${what.join(' and ')}: ordering between Applications by annotation (R5.6, INV-8)`,
      'Remove the annotation; dag.yaml orders Applications.',
    ]);
  },
  function cascadeFinalizer({ app, seen }) {
    if (seen.finalizers.some((name) => name.startsWith('resources-finalizer.argocd.argoproj.io'))) return undefined;
    return finding('cascade-finalizer', app, [
      'info',
      'has no cascade finalizer: deleting its Application by hand would orphan its objects',
      'Teardown adds it by itself; put it into Git if people delete Applications by hand.',
    ]);
  },
  function automated({ app, seen, held }) {
    if (held.has(app.application))
      return finding('not-held', app, [
        'warning',
        'is still held: Argo CD heals nothing in it',
        'Run deploy again; it releases what is Healthy.',
      ]);
    if (seen.automated) return undefined;
    return finding('auto-sync', app, [
      'info',
      'has automated sync switched off: drift stays',
      'Switch it on in Git if that is not wanted.',
    ]);
  },
  function staleVerdict({ app, seen }) {
    const finished = seen.lastOperation?.finishedAt;
    if (seen.reconciledAt !== undefined && (finished === undefined || seen.reconciledAt >= finished)) return undefined;
    return finding('fresh-verdict', app, [
      'warning',
      'its verdict is older than its last sync',
      `Refresh it: argocd app get ${app.application} --refresh`,
    ]);
  },
  function emptyVerdict({ app, seen }) {
    if (seen.resources.length > 0 || app.mayBeEmpty) return undefined;
    return finding('not-empty', app, [
      'warning',
      'is Healthy only because it is empty',
      'Check its path in Git, or say mayBeEmpty: true in dag.yaml.',
    ]);
  },
];

/** Applications under our parents that dag.yaml does not know: they start without any order. */
function strangers(platform: Platform, observed: Observed): Finding[] {
  const parents = [platform.root, ...[...platform.stacks.values()].map((stack) => stack.application)].filter(
    (name) => name !== undefined,
  );
  const known = [...parents, ...[...platform.apps.values()].map((app) => app.application)];
  return parents.flatMap((parent) =>
    (observed.applications.get(parent)?.resources ?? [])
      .filter((object) => object.kind === 'Application' && !known.some((name) => isApplication(object, name)))
      .map((object) => ({
        severity: 'warning' as const,
        rule: 'known-to-the-dag',
        object: `Application ${object.name}`,
        what: `${parent} holds Application ${object.name}, which dag.yaml does not name`,
        remedy: 'Add it to dag.yaml, so that it is ordered and gated.',
      })),
  );
}

export function finding(
  rule: string,
  app: App,
  [severity, what, remedy]: readonly [severity: Finding['severity'], what: string, remedy: string],
): Finding {
  return { severity, rule, node: app.name, what: `${app.name} ${what}`, remedy };
}

function key({ node, rule, object }: Finding): string {
  return `${node ?? '~'} ${rule} ${object ?? ''}`;
}
