import type { Problems } from './collect-problems.ts';
import type { Dag } from './dag-schema.ts';
import type { EnvironmentSpec } from './environment-schema.ts';
import type { PlatformOverrides } from './platform-overrides.ts';
import type { YamlSource } from './yaml-source.ts';

/** Both files after their schemas, and who listens for problems. */
export interface Files {
  readonly dag: { readonly source: YamlSource; readonly spec: Dag; readonly written: ReadonlySet<string> };
  readonly environment: { readonly source: YamlSource; readonly spec: EnvironmentSpec };
  readonly overrides: PlatformOverrides;
  readonly problems: Problems;
}
