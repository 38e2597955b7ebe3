import { failed, passed } from '../../core/preflight/finding.ts';
import type { SeenWorkload } from '../../core/preflight/known-leftovers.ts';
import type { Check } from '../check.ts';

/** R3.4: CoreDNS runs; without it no pod finds another. */
export const clusterDns: Check = {
  id: 'cluster-dns',
  title: 'Cluster DNS',
  area: 'cluster',
  deadlineMs: 20_000,
  stopsBootstrap: false,
  async run({ cluster }) {
    const found = (await cluster.workloads()).filter(isDns);
    const [first] = found;
    if (first === undefined)
      return [
        failed(
          'CoreDNS',
          'there is none in the cluster',
          'Install the DNS add-on of your distribution; `kubectl get pods -n kube-system -l k8s-app=kube-dns` must list it.',
        ),
      ];
    const running = found.find(({ isReady }) => isReady);
    if (running !== undefined) return [passed('CoreDNS', `${running.namespace}/${running.name} runs`)];
    const { namespace, name } = first;
    return [
      failed(
        'CoreDNS',
        `${namespace}/${name} is there and not ready`,
        `\`kubectl describe deployment ${name} -n ${namespace}\` and its pods’ logs say why; often no node takes pods yet, or the network plugin is missing.`,
      ),
    ];
  },
};

/** Every distribution keeps the old label, most the name; OpenShift has a DaemonSet of another one. */
function isDns({ namespace, name, labels }: SeenWorkload): boolean {
  if (labels['k8s-app'] === 'kube-dns' || /(^|-)coredns(-|$)/.test(name)) return true;
  return namespace === 'openshift-dns' && name === 'dns-default';
}
