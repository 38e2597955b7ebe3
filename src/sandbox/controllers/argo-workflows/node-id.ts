/** The id of a node: the Workflow's name and the FNV-1a hash of the node's name. The root has the Workflow's name. */
export function nodeId(workflow: string, nodeName: string): string {
  return nodeName === workflow ? workflow : `${workflow}-${fnv1a(nodeName)}`;
}

const utf8 = new TextEncoder();

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
