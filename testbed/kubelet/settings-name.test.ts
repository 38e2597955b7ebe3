import { expect, it } from 'vitest';
import { podOf } from './pod.fixture.ts';
import { settingsName } from './settings-name.ts';

it('is the ConfigMap that the controller’s pod names, however it is written', () => {
  const controller = (...args: string[]) =>
    podOf('one', {
      label: 'argo-workflows/workflow-controller',
      container: { command: ['workflow-controller'], args },
    });
  expect(settingsName([controller('--configmap', 'mine', '--namespaced')])).toBe('mine');
  expect(settingsName([controller('--namespaced', '--configmap=mine')])).toBe('mine');
  expect(settingsName([controller('--namespaced')])).toBe('workflow-controller-configmap');
  expect(settingsName([podOf('other', { container: { args: ['--configmap', 'mine'] } })])).toBe(
    'workflow-controller-configmap',
  );
});
