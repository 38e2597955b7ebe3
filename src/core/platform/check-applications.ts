import type { Position } from '../problem.ts';
import { splitApplication } from './application-name.ts';
import type { Problems } from './collect-problems.ts';
import type { Declared } from './declare-names.ts';
import { formatPosition } from './format-problems.ts';
import type { Files } from './platform-files.ts';

/** Reports an Argo CD Application that stands for two things: the root, a stack's parent or an app. */
export function checkApplications({ source, spec }: Files['dag'], declared: Declared, problems: Problems): void {
  const owners = new Map<string, { what: string; at: Position }>();
  const claim = (application: string, what: string, at: Position) => {
    // A sync window knows Applications by their bare names: two of one name could not be held apart.
    const { name } = splitApplication(application);
    const before = owners.get(name);
    if (before === undefined) {
      owners.set(name, { what, at });
      return;
    }
    const sentence = `Application "${application}" is that of ${what} and of ${before.what} (${formatPosition(before.at)}).`;
    problems.error(at, sentence, 'Give one of them its own Application with "application:".');
  };
  if (spec.root !== undefined) claim(spec.root, 'the root', source.at(['root']));
  for (const stack of declared.stacks.values()) {
    const { application } = stack.spec;
    if (application !== undefined)
      claim(application, `stack "${stack.name}"`, source.at([...stack.path, 'application']));
  }
  for (const app of declared.apps.values()) {
    const { application } = app.spec;
    const at = application === undefined ? app.at : source.at([...app.path, 'application']);
    claim(application ?? app.name, `app "${app.name}"`, at);
  }
}
