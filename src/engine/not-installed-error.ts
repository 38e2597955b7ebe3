import { OperatorError } from './operator-error.ts';

/** The cluster serves no Applications: phase 0 (R3.1). */
export class NotInstalledError extends OperatorError {
  constructor() {
    super('Argo CD is not installed in this cluster: it serves no Applications', {
      hint: 'Bring it there with `tiphys bootstrap`, or point --kubeconfig and --context at the right cluster.',
    });
  }
}
