import { join } from 'node:path';

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * INV-3: what a playbook does follows from what it is given. Settings of other people's runs stay outside: which cluster, how Ansible,
 * Helm and Python behave. The rest passes, because plugins for credentials and proxies need it.
 */
export function programEnvironment(env: Variables): Variables {
  const kept = Object.entries(env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), ...locale(env) };
}

const foreign =
  /^(KUBECONFIG(_DATA|_PATH)?|K8S_AUTH_.*|ANSIBLE_(?!COLLECTIONS_PATHS?$).*|HELM_(NAMESPACE|DRIVER.*|KUBE.*|DEBUG)|PYTHON(PATH|HOME|STARTUP))$/;

/** Ansible refuses to start where text is not UTF-8, and containers say nothing about it. */
function locale(env: Variables): Variables {
  const said = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(said) ? {} : { LC_ALL: 'C.UTF-8' };
}

export interface AnsiblePlaces {
  /** The folder of the playbook. */
  readonly bootstrap: string;
  readonly kubeconfig: string;
  /** For what Ansible and Helm write down for themselves. */
  readonly scratch: string;
}

/** The environment of ansible-playbook. */
export function ansibleEnvironment(env: Variables, { bootstrap, kubeconfig, scratch }: AnsiblePlaces): Variables {
  return {
    ...programEnvironment(env),
    ...ansibleScratch(scratch),
    ANSIBLE_CONFIG: join(bootstrap, 'ansible.cfg'),
    ANSIBLE_NOCOLOR: '1',
    K8S_AUTH_KUBECONFIG: kubeconfig,
    KUBECONFIG: kubeconfig,
    TIPHYS_EVENTS_FD: '3',
    TIPHYS_ENDS_WITH_READER: '1',
    // Somebody's own repositories and plugins change nothing here; charts come from a folder.
    HELM_CACHE_HOME: join(scratch, 'helm-cache'),
    HELM_CONFIG_HOME: join(scratch, 'helm-config'),
    HELM_DATA_HOME: join(scratch, 'helm-data'),
    // What Helm has learned of a cluster would go into the home folder; without one, beside the playbooks.
    KUBECACHEDIR: join(scratch, 'kube-cache'),
    // And what the Kubernetes modules have learned, into everybody's folder for such things.
    TMPDIR: scratch,
  };
}

/** Ansible writes into the home folder unless told, which in a container cannot be written. */
export function ansibleScratch(scratch: string): Variables {
  return {
    ANSIBLE_LOCAL_TEMP: join(scratch, 'ansible-local'),
    ANSIBLE_REMOTE_TEMP: join(scratch, 'ansible-remote'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
}
