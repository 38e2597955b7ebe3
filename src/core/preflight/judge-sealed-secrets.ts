import { type Finding, failed, passed, warned } from './finding.ts';
import type { SeenWorkload } from './known-leftovers.ts';

export interface SealedSecretsRules {
  /** Right before a bootstrap nothing is lost: it keeps the keys that it finds in its namespace. */
  readonly isStrict: boolean;
  readonly keepsKey: boolean;
  /** Where bootstrap installs the controller. */
  readonly home: string;
}

export interface SealedSecretsRemains {
  readonly workloads: readonly SeenWorkload[];
  readonly keys: readonly { readonly namespace: string; readonly name: string }[];
  readonly isOurs: boolean;
}

/** R3.4: no controller may be left unless its key is to be kept; without the key nobody can open what is sealed in Git. */
export function judgeSealedSecrets(remains: SealedSecretsRemains, rules: SealedSecretsRules): readonly Finding[] {
  const controllers = remains.workloads.filter(isController);
  const about = 'sealed-secrets';
  if (remains.isOurs) return [passed(about, 'installed by `tiphys bootstrap`')];
  if (controllers.length === 0 && remains.keys.length === 0) return [passed(about, 'not there, as it should be')];
  const places = [...new Set([...controllers, ...remains.keys].map(({ namespace }) => namespace))];
  const what = controllers.length === 0 ? 'keys of an earlier controller are' : 'a controller is';
  const saw = `${what} left in ${places.join(', ')} (${remains.keys.length} ${remains.keys.length === 1 ? 'key' : 'keys'})`;
  if (rules.keepsKey) return [keptKey(saw, places, rules.home)];
  const complain = rules.isStrict ? failed : warned;
  return [
    complain(
      about,
      saw,
      `${backUp(places)} Then, if what it sealed is still in Git, set \`preflight.keepSealedSecretsKey: true\` in environment.yaml; otherwise remove controller and keys.`,
    ),
  ];
}

function keptKey(saw: string, places: readonly string[], home: string): Finding {
  if (places.every((place) => place === home)) return passed('sealed-secrets', `${saw}, and kept as asked`);
  return warned(
    'sealed-secrets',
    `${saw}, but bootstrap installs the controller in ${home}`,
    `${backUp(places)} Restore it in ${home}, where the new controller looks for it.`,
  );
}

function backUp(places: readonly string[]): string {
  const place = places[0] ?? 'kube-system';
  return `Keep a copy of the keys in a safe place: \`kubectl get secret -n ${place} -l sealedsecrets.bitnami.com/sealed-secrets-key -o yaml\`.`;
}

function isController({ name, labels }: SeenWorkload): boolean {
  return labels['app.kubernetes.io/name'] === 'sealed-secrets' || /^sealed-secrets(-controller)?$/.test(name);
}
