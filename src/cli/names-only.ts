import type { Transport } from '../adapters/kubernetes/transport.ts';

/** Asks for lists without their content: names are enough, and what is in a Secret is none of our business. */
export function namesOnly(transport: Transport): Transport {
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
  return (request) =>
    transport(/[?&]limit=/.test(request.path) ? { ...request, headers: { ...request.headers, accept } } : request);
}
