import { type KubeObject, type ResourceType, typeKey } from '../store/objects.ts';
import { isFields } from './merge-patch.ts';

/** Fills in what the API server fills in for built-in kinds; the same object when there is nothing to fill. */
export function builtInDefaults(type: ResourceType, object: KubeObject): KubeObject {
  const fill = defaulters[typeKey(type)];
  return fill === undefined ? object : fill(object);
}

type Fields = Readonly<Record<string, unknown>>;

/** Defaults below, given values above. */
const over = (defaults: Fields, given: unknown): Fields => ({ ...defaults, ...(isFields(given) ? given : {}) });

const withSpec = (object: KubeObject, change: (spec: Fields) => Fields): KubeObject => {
  const spec = object['spec'];
  return isFields(spec) ? { ...object, spec: change(spec) } : object;
};

const workload =
  (defaults: Fields, nested: (spec: Fields) => Fields = (spec) => spec) =>
  (object: KubeObject): KubeObject =>
    withStatus(
      withSpec(object, (spec) => nested(withTemplate(over(defaults, spec)))),
      {},
    );

const defaulters: Readonly<Record<string, (object: KubeObject) => KubeObject>> = {
  '/pods': (object) =>
    withStatus(
      withSpec(object, (spec) => over({ enableServiceLinks: true }, podSpec(spec))),
      { phase: 'Pending', qosClass: 'BestEffort' },
    ),
  '/secrets': secret,
  '/services': (object) =>
    withStatus(
      withSpec(object, (spec) => over({ type: 'ClusterIP', sessionAffinity: 'None' }, spec)),
      { loadBalancer: {} },
    ),
  '/events': (object) => ({ eventTime: null, reportingComponent: '', reportingInstance: '', ...object }),
  '/persistentvolumeclaims': (object) =>
    withStatus(
      withSpec(object, (spec) => over({ volumeMode: 'Filesystem' }, spec)),
      { phase: 'Pending' },
    ),
  'apps/deployments': workload({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }, (spec) => ({
    ...spec,
    strategy: strategy(spec['strategy']),
  })),
  'apps/statefulsets': workload({ replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 }),
  'apps/daemonsets': workload({ revisionHistoryLimit: 10 }),
  'apps/replicasets': workload({ replicas: 1 }),
  'batch/jobs': workload({ parallelism: 1, completions: 1, backoffLimit: 6, suspend: false }),
};

function withStatus(object: KubeObject, status: Fields): KubeObject {
  return object['status'] === undefined ? { ...object, status } : object;
}

function secret(object: KubeObject): KubeObject {
  const { stringData, data, ...rest } = object;
  const plain = isFields(stringData) ? stringData : {};
  const encoded = Object.fromEntries(
    Object.entries(plain).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]),
  );
  const all = { ...(isFields(data) ? data : {}), ...encoded };
  return {
    ...(rest as KubeObject),
    type: rest['type'] ?? 'Opaque',
    ...(Object.keys(all).length === 0 ? {} : { data: all }),
  };
}

function strategy(given: unknown): Fields {
  const chosen = over({ type: 'RollingUpdate' }, given);
  if (chosen['type'] !== 'RollingUpdate') return chosen;
  return { ...chosen, rollingUpdate: over({ maxUnavailable: '25%', maxSurge: '25%' }, chosen['rollingUpdate']) };
}

function withTemplate(spec: Fields): Fields {
  const template = spec['template'];
  if (!isFields(template) || !isFields(template['spec'])) return spec;
  return { ...spec, template: { ...template, spec: podSpec(template['spec']) } };
}

function podSpec(spec: Fields): Fields {
  const containers = spec['containers'];
  return {
    ...over(
      {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
      spec,
    ),
    ...(Array.isArray(containers) ? { containers: containers.map(container) } : {}),
  };
}

function container(given: unknown): unknown {
  if (!isFields(given)) return given;
  const image = String(given['image'] ?? '');
  const moving = !/:[^/]+$/.test(image) || image.endsWith(':latest');
  return over(
    {
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: moving ? 'Always' : 'IfNotPresent',
    },
    given,
  );
}
