/** The recordings keep no binary bodies; these are what kubectl sends to the paths that get one. */
export function protobufBody(path: string): string {
  if (path.startsWith('/api/v1/namespaces')) {
    return envelope('v1', 'Namespace', nested(1, text(1, 'api-kubectl')));
  }
  if (path.includes('selfsubjectaccessreviews')) {
    const attributes = [text(1, 'api-kubectl'), text(2, 'patch'), text(3, 'argoproj.io'), text(5, 'applications')];
    return envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', nested(2, nested(1, ...attributes)));
  }
  return envelope('authentication.k8s.io/v1', 'SelfSubjectReview', nested(1));
}

function envelope(apiVersion: string, kind: string, raw: Buffer): string {
  const unknown = Buffer.concat([nested(1, text(1, apiVersion), text(2, kind)), nested(2, raw)]);
  return Buffer.concat([Buffer.from('k8s\u0000'), unknown]).toString('latin1');
}

function text(field: number, value: string): Buffer {
  return nested(field, Buffer.from(value));
}

/** A field of wire type 2; everything here is shorter than 128 bytes, so lengths take one byte. */
function nested(field: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length > 127) throw new Error('too long for a length of one byte');
  return Buffer.concat([Buffer.from([(field << 3) | 2, content.length]), content]);
}
