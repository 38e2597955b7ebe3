import { gunzipSync, gzipSync } from 'node:zlib';
import type { NodeStatus, Workflow, WorkflowStatus } from './workflow.ts';

/** What a Workflow may measure before its nodes are compressed. */
const limit = 1024 * 1024;

/** The status with its nodes, or with the nodes compressed when the object would be too large. */
export function dehydrated(workflow: Workflow, status: WorkflowStatus, nodes: Nodes): WorkflowStatus {
  const { nodes: _nodes, compressedNodes: _compressed, ...rest } = status;
  if (Object.keys(nodes).length === 0) return rest;
  const plain = { ...rest, nodes };
  const bytes = Buffer.byteLength(JSON.stringify({ ...workflow, status: plain }));
  if (bytes <= limit) return plain;
  return { ...rest, compressedNodes: gzipSync(JSON.stringify(nodes)).toString('base64') };
}

/** The nodes of a status, however they are kept. */
export function hydrated({ nodes, compressedNodes }: WorkflowStatus): Nodes {
  if (compressedNodes === undefined || compressedNodes === '') return nodes ?? {};
  // Only the controller writes it.
  return JSON.parse(gunzipSync(Buffer.from(compressedNodes, 'base64')).toString()) as Nodes;
}

type Nodes = Readonly<Record<string, NodeStatus>>;
