/** R7.5: a text without these secrets, also where JSON has escaped them. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  // The longest first, so that a secret within another leaves nothing of it; and nothing so short that it is a word.
  const known = [...new Set(forms)].filter((form) => form.length >= 6).sort((a, b) => b.length - a.length);
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}

/** Whatever a kubeconfig's user could be impersonated with. */
export function secretsOf(kubeconfig: string): readonly string[] {
  const found: string[] = [];
  JSON.parse(kubeconfig, (key, value: unknown) => {
    if (typeof value === 'string' && secretKeys.test(key)) found.push(value);
    return value;
  });
  return found.flatMap((value) => [value, Buffer.from(value, 'base64').toString().trim()]);
}

const secretKeys = /^(token|password|client-key-data|id-token|refresh-token|client-secret|access-token)$/;
