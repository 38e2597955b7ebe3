import { closeSync, openSync, readSync } from 'node:fs';
import * as z from 'zod';

/** One request that the API server has answered, as its audit log tells it. */
export interface AuditEntry {
  readonly verb: string;
  readonly user: string;
  readonly group: string;
  /** As in the path: `deployments`. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly code: number;
  /** Milliseconds since the epoch: the change happened between these two. */
  readonly receivedAt: number;
  readonly answeredAt: number;
  /** Only tried, changed nothing. */
  readonly isTrial: boolean;
  /** What was answered, where the log holds it. */
  readonly object: AuditedObject | undefined;
}

export type AuditedObject = z.infer<typeof Answered>;

/** The entries of a log, in the order of the file; those received before `since` are left out, and so is a last line that is only half written. */
export function readAudit(file: string, since = 0): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const line of wholeLines(file)) {
    const entry = parseEntry(line);
    if (entry !== undefined && entry.receivedAt >= since) entries.push(entry);
  }
  return entries;
}

const newline = 10;
const pieceBytes = 1 << 20;

/** Piece by piece: the log of many Applications is longer than a string may be. */
function* wholeLines(file: string): Generator<string> {
  const log = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(pieceBytes);
    let begun = Buffer.alloc(0);
    for (let read = readSync(log, piece); read > 0; read = readSync(log, piece)) {
      const all = Buffer.concat([begun, piece.subarray(0, read)]);
      const end = all.lastIndexOf(newline);
      if (end >= 0) yield* all.subarray(0, end).toString().split('\n');
      begun = all.subarray(end + 1);
    }
  } finally {
    closeSync(log);
  }
}

const Answered = z.object({
  kind: z.string(),
  metadata: z
    .object({
      name: z.string().optional(),
      namespace: z.string().optional(),
      resourceVersion: z.string().optional(),
      annotations: z.record(z.string(), z.string()).optional(),
      deletionTimestamp: z.string().optional(),
    })
    .default({}),
  spec: z.unknown().optional(),
  status: z.unknown().optional(),
  /** Of an Application: what it was asked to do and has not finished. */
  operation: z.unknown().optional(),
});

const Line = z.object({
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  // Who could not say who he is has no name.
  user: z.object({ username: z.string().default('') }),
  objectRef: z
    .object({
      resource: z.string().optional(),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
      name: z.string().optional(),
      apiGroup: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number().optional() }).optional(),
  responseObject: z.unknown().optional(),
  requestReceivedTimestamp: z.string(),
  stageTimestamp: z.string(),
});

/** undefined: nothing was answered for good, or it was about no object. */
function parseEntry(line: string): AuditEntry | undefined {
  const { stage, objectRef, responseObject, responseStatus, ...rest } = Line.parse(JSON.parse(line));
  if (stage !== 'ResponseComplete' || objectRef?.resource === undefined) return undefined;
  const object = Answered.safeParse(responseObject).data;
  return {
    verb: rest.verb,
    user: rest.user.username,
    group: objectRef.apiGroup ?? '',
    resource: objectRef.resource,
    subresource: objectRef.subresource,
    namespace: objectRef.namespace,
    // What is created without a name in its path has one in the answer.
    name: objectRef.name ?? object?.metadata.name ?? '',
    code: responseStatus?.code ?? 0,
    receivedAt: Date.parse(rest.requestReceivedTimestamp),
    answeredAt: Date.parse(rest.stageTimestamp),
    isTrial: /[?&]dryRun=All/.test(rest.requestURI),
    object,
  };
}
