import { parse } from 'yaml';

/** R7.5: a text without these secrets, in whatever form a program may repeat them. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  // The longest first, so that a secret within another leaves nothing of it; and nothing so short that it is a word.
  const known = [...new Set(secrets.flatMap(formsOf))].filter((form) => form.length >= 6);
  known.sort((a, b) => b.length - a.length);
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}

/** As it is, escaped by JSON, in an address, in the data of a Secret; and line by line, because messages are put into one line and cut off. */
function formsOf(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  const plain = [secret, ...lines, lines.join(' ').trim(), orNothing(() => decodeURIComponent(secret))];
  return plain.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    orNothing(() => encodeURIComponent(form)),
    Buffer.from(form).toString('base64'),
  ]);
}

/** What is no address has no form in one. */
function orNothing(make: () => string): string {
  try {
    return make();
  } catch {
    return '';
  }
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

/** What a file of variables holds under a name that says so, for example a first password for Argo CD. Ansible says what is wrong with a file that is no YAML. */
export function secretsInVars(text: string): readonly string[] {
  let vars: unknown;
  try {
    vars = parse(text);
  } catch {
    return [];
  }
  return secretsUnder(vars, false);
}

function secretsUnder(value: unknown, isSecret: boolean): readonly string[] {
  if (typeof value === 'string') return isSecret || privateKey.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => secretsUnder(inner, isSecret || isSecretName(name)));
}

/** Not the names of Secrets: a message that hides those helps nobody. */
function isSecretName(name: string): boolean {
  return (
    /(password|passwd|secret|token|credential|(private|api|access)[-_]?key)s?$/i.test(name) &&
    !/^(existing|imagePull)/i.test(name)
  );
}

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
