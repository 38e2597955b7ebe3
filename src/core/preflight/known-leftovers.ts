import { type Finding, failed, passed, warned } from './finding.ts';

/** What of an installation can be seen in a cluster. */
export interface Remains {
  readonly namespaces: readonly SeenNamespace[];
  readonly workloads: readonly SeenWorkload[];
  /** The platform that `tiphys bootstrap` has set this cluster up for. */
  readonly bootstrappedFor: string | undefined;
}

export interface SeenNamespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isGoing: boolean;
}

export interface SeenWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isReady: boolean;
}

export interface LeftoverRules {
  readonly platform: string;
  readonly argocdNamespace: string;
  readonly workflowsNamespace: string;
  readonly apps: readonly string[];
  /** False right before a bootstrap, which goes on where an earlier one stopped. */
  readonly isStrict: boolean;
}

interface Component {
  readonly title: string;
  readonly part: string;
  readonly names: RegExp;
  readonly home: string;
}

/** R3.4: nothing of an earlier installation may be in the way of a clean one; each thing is named, with what to do. */
export function judgeLeftovers(remains: Remains, rules: LeftoverRules): readonly Finding[] {
  if (remains.bootstrappedFor === rules.platform)
    return [
      passed(
        'bootstrap',
        `this cluster was set up by \`tiphys bootstrap\` for ${rules.platform}; deploy goes on from there`,
      ),
    ];
  return [
    ...componentsOf(rules).map((component) => judgeComponent(component, remains, rules)),
    ...ofAnother(remains, rules),
    ...platformNamespaces(remains, rules),
  ];
}

function componentsOf({ argocdNamespace, workflowsNamespace }: LeftoverRules): readonly Component[] {
  return [
    { title: 'Argo CD', part: 'argocd', names: /^argocd-/, home: argocdNamespace },
    { title: 'Argo Workflows', part: 'argo-workflows', names: /workflow-controller$/, home: workflowsNamespace },
    {
      title: 'Argo Events',
      part: 'argo-events',
      names: /^(argo-events-)?(controller-manager|events-webhook)$/,
      home: 'argo-events',
    },
  ];
}

function judgeComponent(component: Component, remains: Remains, rules: LeftoverRules): Finding {
  const { title, home } = component;
  const there = remains.workloads.filter((one) => belongs(one, component));
  const namespace = remains.namespaces.find(({ name }) => name === home);
  if (namespace?.isGoing === true)
    return failed(
      title,
      `its namespace ${home} is being deleted`,
      `Wait until it is gone; \`kubectl get namespace ${home} -o yaml\` says what holds it up.`,
    );
  if (there.length > 0) return judgeWorkloads(component, there, rules);
  if (namespace === undefined) return passed(title, 'not there, as it should be');
  return warned(
    title,
    `not there, but its namespace ${home} is`,
    `If it is from an earlier installation: \`kubectl delete namespace ${home}\`. Otherwise bootstrap will use it.`,
  );
}

function judgeWorkloads({ title, part }: Component, there: readonly SeenWorkload[], rules: LeftoverRules): Finding {
  const places = [...new Set(there.map(({ namespace }) => namespace))].join(', ');
  const broken = there.filter(({ isReady }) => !isReady).map(({ name }) => name);
  const away = `For a clean install, first \`tiphys teardown <folder> --confirm ${rules.platform}\`, then \`helm uninstall ${part} -n ${there[0]?.namespace}\`.`;
  if (broken.length === 0)
    return warned(
      title,
      `runs in ${places}, and \`tiphys bootstrap\` did not install it`,
      `Nothing, if you want to use it: deploy does, and bootstrap leaves it alone. ${away}`,
    );
  const saw = `left in ${places} and not running: ${broken.slice(0, 5).join(', ')}`;
  return rules.isStrict ? failed(title, saw, away) : warned(title, saw, 'Bootstrap brings it to the wanted state.');
}

function belongs({ namespace, name, labels }: SeenWorkload, { part, names, home }: Component): boolean {
  return labels['app.kubernetes.io/part-of'] === part || (namespace === home && names.test(name));
}

function ofAnother({ bootstrappedFor }: Remains, { platform }: LeftoverRules): readonly Finding[] {
  if (bootstrappedFor === undefined) return [];
  return [
    warned(
      'bootstrap',
      `this cluster was set up for another platform: ${bootstrappedFor}`,
      `Is this the right cluster? If not, choose another with --context. If it is, ${platform} will share its Argo CD.`,
    ),
  ];
}

/** Only a teardown that did not end leaves its label; a name that is an app's may be chance. */
function platformNamespaces({ namespaces }: Remains, rules: LeftoverRules): readonly Finding[] {
  const marked = namespaces.filter(({ labels }) => labels['tiphys.dev/platform'] === rules.platform);
  const homes = new Set(componentsOf(rules).map(({ home }) => home));
  const named = namespaces.filter(
    (one) => rules.apps.includes(one.name) && !homes.has(one.name) && !marked.includes(one),
  );
  const complain = rules.isStrict ? failed : warned;
  const again = `\`tiphys teardown <folder> --confirm ${rules.platform}\` goes on where it stopped.`;
  const found = [
    ...marked.map(({ name }) =>
      complain(`namespace ${name}`, `left by a teardown of ${rules.platform} that did not end`, again),
    ),
    ...named.map(({ name }) =>
      warned(
        `namespace ${name}`,
        'has the name of an app; it may be left from an earlier installation',
        `Look with \`kubectl get all -n ${name}\`; if nobody needs it, \`kubectl delete namespace ${name}\`.`,
      ),
    ),
  ];
  return found.length > 0 ? found : [passed('platform namespaces', 'none')];
}
