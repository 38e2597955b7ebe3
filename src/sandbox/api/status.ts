import type { ResourceType } from '../store/objects.ts';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly code?: number;
}

/** An answer that is a Status: thrown anywhere below the handler, written by it. */
export class StatusError extends Error {
  readonly code: number;
  readonly status: Status;
  readonly retryAfter: number | undefined;

  constructor(status: Status, retryAfter?: number) {
    super(status.message ?? status.reason ?? 'failure');
    this.code = status.code ?? 500;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

type Named = Pick<ResourceType, 'group' | 'plural'>;

export function failure(
  code: number,
  reason: string | undefined,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

export const badRequest = (message: string): StatusError => failure(400, 'BadRequest', message);
export const internalError = (message: string): StatusError => failure(500, undefined, message);

export function notFound(type: Named, name: string): StatusError {
  return failure(404, 'NotFound', `${qualified(type)} "${name}" not found`, detailsOf(type, name));
}

/** The answer to a path that names no resource of a built-in group. */
export const noSuchResource = (): StatusError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

export function alreadyExists(type: Named, name: string, dying: boolean): StatusError {
  const prefix = dying ? 'object is being deleted: ' : '';
  return failure(409, 'AlreadyExists', `${prefix}${qualified(type)} "${name}" already exists`, detailsOf(type, name));
}

const modifiedMeanwhile = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(type: Named, name: string, because: string = modifiedMeanwhile): StatusError {
  return failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${because}`,
    detailsOf(type, name),
  );
}

export function forbidden(type: Named, name: string, because: string, causes?: readonly Cause[]): StatusError {
  const named = name === '' ? qualified(type) : `${qualified(type)} "${name}"`;
  return failure(403, 'Forbidden', `${named} is forbidden: ${because}`, {
    ...detailsOf(type, name),
    ...(causes === undefined ? {} : { causes }),
  });
}

export const methodNotAllowed = (): StatusError =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** 422. `what` is the Kind (`Application`), except where Kubernetes itself names the resource. */
export function invalid(what: { group: string; kind: string }, name: string, causes: readonly Cause[]): StatusError {
  const unique = [...new Set(causes.map((cause) => `${cause.field}: ${cause.message}`))];
  const list = unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`;
  const shown = what.group === '' ? what.kind : `${what.kind}.${what.group}`;
  return failure(422, 'Invalid', `${shown} "${name}" is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(what.group === '' ? {} : { group: what.group }),
    ...(what.kind === '' ? {} : { kind: what.kind }),
    causes,
  });
}

export const invalidOptions = (kind: string, cause: Cause): StatusError =>
  invalid({ group: 'meta.k8s.io', kind }, '', [cause]);

export function deleted(type: Named, name: string, uid: string | undefined): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...detailsOf(type, name), uid },
  };
}

function qualified(type: Named): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

function detailsOf(type: Named, name: string): Record<string, unknown> {
  return {
    ...(name === '' ? {} : { name }),
    ...(type.group === '' ? {} : { group: type.group }),
    kind: type.plural,
  };
}
