import { failed, passed } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';

/** Files with private authorities that somebody named can be used: otherwise nobody knows why TLS fails. */
export const certificateAuthorities: Check = {
  id: 'certificate-authorities',
  title: 'Private authorities',
  area: 'connectivity',
  deadlineMs: 5_000,
  async run({ badAuthorities, network }) {
    if (badAuthorities.size > 0)
      return [...badAuthorities].map(([file, why]) =>
        failed(
          file,
          `is named as a file with authorities, and ${why}`,
          'Correct `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` or `preflight.certificateAuthority`, or put a PEM file there.',
        ),
      );
    return [
      passed(
        'authorities',
        network.ca === undefined ? 'only the public ones are trusted' : 'your own are trusted, too',
      ),
    ];
  },
};
