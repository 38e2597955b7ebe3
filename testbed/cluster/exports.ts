import { join } from 'node:path';
import type { Testbed } from '../testbed.ts';
import { kubeconfigOf } from './kubeconfigs.ts';
import type { TestbedState } from './state.ts';

/** What a shell or a test needs to work on the testbed; `eval "$(npm run --silent testbed -- env)"`. */
export function exportsOf(testbed: Testbed & Pick<TestbedState, 'charts'>): readonly (readonly [string, string])[] {
  return [
    ['KUBECONFIG', kubeconfigOf(testbed, 'admin')],
    ['TIPHYS_TESTBED', testbed.name],
    ['TIPHYS_TESTBED_FOLDER', testbed.folder],
    ['GIT_URL', `file://${join(testbed.folder, 'repo')}`],
    ['AUDIT_LOG', join(testbed.folder, 'audit.log')],
    ['ARGOCD_SERVER', `127.0.0.1:${testbed.ports.argocdServer}`],
    ...(testbed.charts === undefined ? [] : [['CHARTS', testbed.charts] as const]),
  ];
}

export function asShell(variables: readonly (readonly [string, string])[]): string {
  return variables.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`).join('');
}
