import type { Operation } from './operation.ts';
import type { TemplateScope } from './template-scope.ts';
import type { Arguments, NodeStatus, Template, TemplateCaller } from './workflow.ts';

export interface TemplateCall {
  readonly nodeName: string;
  readonly caller: TemplateCaller;
  /** The scope of the caller. */
  readonly scope: TemplateScope;
  readonly args: Arguments;
  readonly boundaryId?: string;
  readonly flag?: NodeStatus['nodeFlag'];
  readonly isExitHandler?: boolean;
}

/** A call whose template was found and filled in. */
export interface Execution {
  readonly call: TemplateCall;
  readonly template: Template;
  /** The scope in which the template calls others. */
  readonly scope: TemplateScope;
}

export type ExecuteTemplate = (operation: Operation, call: TemplateCall) => NodeStatus;
