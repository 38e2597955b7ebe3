import type { Body } from './decode.ts';
import { failure } from './status.ts';

/** Replaced below by the reader of the few messages that kubectl sends in protobuf. */
export function decodeProtobuf(_bytes: Uint8Array): Body {
  throw failure(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
  );
}
