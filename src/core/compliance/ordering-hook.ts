import type { App, Platform } from '../platform/platform.ts';
import type { Finding } from '../report/report.ts';
import { finding } from './findings.ts';

/**
 * INV-8: a hook that waits for another application. Judged from the live hook object: it runs a command that waits, or it
 * calls a service of another app by name. Application-internal hooks (migrations, initialisation) stay allowed.
 */
export function orderingHook(
  platform: Platform,
  app: App,
  hook: { readonly kind: string; readonly name: string; readonly live: unknown },
): Finding | undefined {
  const text = JSON.stringify(hook.live ?? {});
  const waits = /kubectl[ ",\\]+(wait|rollout[ ",\\]+status)|argocd[ ",\\]+app[ ",\\]+(wait|sync)/.test(text);
  const other = [...platform.apps.keys()].find(
    (name) => name !== app.name && text.includes(`${name}.`) && text.includes('.svc'),
  );
  if (!waits && other === undefined) return undefined;
  const why = waits ? 'runs a command that waits' : `calls ${other}`;
  return finding('no-ordering-hooks', app, [
    'error',
    `hook ${hook.kind} ${hook.name} ${why}: ordering between Applications by hook (INV-8)`,
    'Declare the need in dag.yaml and remove the hook.',
  ]);
}
