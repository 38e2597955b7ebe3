import type { Check } from './check.ts';
import { ansibleCollections } from './checks/ansible-collections.ts';
import { apiServer } from './checks/api-server.ts';
import { capacity } from './checks/capacity.ts';
import { certificateAuthorities } from './checks/certificate-authorities.ts';
import { chartSources } from './checks/chart-sources.ts';
import { clusterDns } from './checks/cluster-dns.ts';
import { definitions } from './checks/definitions.ts';
import { dnsCredentials } from './checks/dns-credentials.ts';
import { fromCluster } from './checks/from-cluster.ts';
import { gitCredentials } from './checks/git-credentials.ts';
import { gitEndpoint } from './checks/git-endpoint.ts';
import { helmReleases } from './checks/helm-releases.ts';
import { kubeconfigAccepted } from './checks/kubeconfig-accepted.ts';
import { leftovers } from './checks/leftovers.ts';
import { nodes } from './checks/nodes.ts';
import { otherEndpoints } from './checks/other-endpoints.ts';
import { permissions } from './checks/permissions.ts';
import { pythonPackages } from './checks/python-packages.ts';
import { registries } from './checks/registries.ts';
import { registryCredentials } from './checks/registry-credentials.ts';
import { sealedSecretsKey } from './checks/sealed-secrets-key.ts';
import { snapshot } from './checks/snapshot.ts';
import { tools } from './checks/tools.ts';
import { workers } from './checks/workers.ts';

/** Every check of phase 0. A new one is a file in `checks/` and a line here. */
export const allChecks: readonly Check[] = [
  tools,
  pythonPackages,
  ansibleCollections,
  apiServer,
  nodes,
  clusterDns,
  workers,
  capacity,
  permissions,
  certificateAuthorities,
  gitEndpoint,
  chartSources,
  registries,
  otherEndpoints,
  fromCluster,
  kubeconfigAccepted,
  gitCredentials,
  registryCredentials,
  dnsCredentials,
  leftovers,
  helmReleases,
  definitions,
  sealedSecretsKey,
  snapshot,
];
