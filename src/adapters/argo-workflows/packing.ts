import { gunzipSync, gzipSync } from 'node:zlib';
import type { RawNodes, RawWorkflow } from '../../core/workflow/workflow-view.ts';

/** Readable for people while it is small; a Workflow may hold a megabyte, and its spec is never compressed by anybody else. */
const plainBytes = 100_000;
const mark = 'gzip:';

/** The document of a run as it travels in a parameter. */
export function pack(text: string): string {
  return text.length <= plainBytes ? text : `${mark}${gzipSync(text, { level: 9 }).toString('base64')}`;
}

export function unpack(packed: string): string {
  return packed.startsWith(mark) ? gunzip(packed.slice(mark.length)) : packed;
}

/** The nodes of a Workflow, also of one that the controller has compressed. */
export function nodesOf({ status }: RawWorkflow): RawNodes {
  if (status?.compressedNodes === undefined || status.compressedNodes === '') return status?.nodes ?? {};
  // Written by the controller: an object of nodes, or the Workflow is broken and JSON.parse says so.
  return JSON.parse(gunzip(status.compressedNodes)) as RawNodes;
}

function gunzip(base64: string): string {
  return gunzipSync(Buffer.from(base64, 'base64')).toString();
}
