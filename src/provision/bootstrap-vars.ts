import { applicationNamespaces } from '../core/platform/application-name.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { OwnFiles } from './own-files.ts';

export interface VarsOrder {
  readonly platform: Platform;
  readonly files: OwnFiles;
  /** The folder with the charts, by name. */
  readonly charts: string;
  readonly helm: string;
  /** A file with the credentials of the Git repository: its name is told, its content never. */
  readonly gitCredentials?: string;
}

/** What the roles are told; bootstrap/README.md documents each, and the inventory has the defaults of the rest. */
export function bootstrapVars(order: VarsOrder): Readonly<Record<string, string | readonly string[]>> {
  const { platform, files, charts, helm, gitCredentials } = order;
  const { environment } = platform;
  return {
    platform_name: platform.name,
    root_application: platform.root ?? '',
    git_repository: environment.gitRepository,
    git_revision: environment.gitRevision,
    argocd_namespace: environment.argocdNamespace,
    workflows_namespace: environment.workflowsNamespace,
    application_namespaces: [...applicationNamespaces(platform)].sort(),
    charts_folder: charts,
    tiphys_chart: files.chart,
    health_checks_folder: files.healthChecks,
    helm_binary: helm,
    ...(gitCredentials === undefined ? {} : { git_credentials_file: gitCredentials }),
  };
}
