import { join } from 'node:path';
import { mountedSecret } from '../../adapters/files/mounted-secret.ts';
import { failed, passed, unseen } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';

/** R3.4: credentials of the DNS provider are there. Every provider has its own API, so that nobody is asked whether it takes them. */
export const dnsCredentials: Check = {
  id: 'dns-credentials',
  title: 'DNS provider credentials',
  area: 'credentials',
  deadlineMs: 5_000,
  stopsBootstrap: false,
  async run({ section, secretsFolder }) {
    const about = 'DNS provider';
    const named = section.secrets?.dns;
    if (named === undefined)
      return [
        unseen(
          about,
          'environment.yaml names no secret of a DNS provider',
          'If the platform writes DNS records: `preflight.secrets.dns: <name below /secrets>` in environment.yaml.',
        ),
      ];
    const place = join(secretsFolder, named);
    const secret = await mountedSecret(place);
    const fix = 'Mount the Secret there; another folder is given with --secrets.';
    if (secret.kind === 'absent') return [failed(about, `${place} ${secret.because}`, fix)];
    const texts = secret.kind === 'file' ? [secret.text] : [...secret.files.values()];
    if (texts.every((text) => text.trim() === '')) return [failed(about, `${place} is empty`, fix)];
    return [passed(about, `${place} is there; whether the provider takes it, only its own API can say`)];
  },
};
