import { badRequest, failure, StatusError } from './status.ts';

/** Where a list goes on: the revision it was begun at and the last key that was sent. */
export function encodeContinue(revision: number, lastKey: string): string {
  const token = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${lastKey}\u0000` });
  return Buffer.from(token).toString('base64url');
}

/** A revision of -1 means: whatever is there now. */
export function decodeContinue(token: string): { revision: number; start: string } {
  const decoded = Buffer.from(token, 'base64url').toString();
  let parsed: { rv?: number; start?: string };
  try {
    parsed = JSON.parse(decoded) as { rv?: number; start?: string };
  } catch {
    throw badRequest(
      `invalid continue token: continue key is not valid: invalid character '${decoded[0] ?? ''}' looking for beginning of value`,
    );
  }
  if (parsed.rv === undefined || parsed.start === undefined) {
    throw badRequest('invalid continue token: continue key is not valid: incorrect encoded start resourceVersion 0');
  }
  return { revision: parsed.rv, start: parsed.start.replace(/^\//, '').replaceAll('\u0000', '') };
}

/** 410 with a token that lets the client go on at the price of consistency. */
export function expiredContinue(start: string): StatusError {
  const { status } = failure(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  return new StatusError({ ...status, metadata: { continue: encodeContinue(-1, start) } });
}
