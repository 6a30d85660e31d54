import { createHash } from 'node:crypto';
import type { SessionSecrets } from '@postshelf/domain';

/** Secrets as long as real ones, numbered consecutively. */
export function fakeSessionSecrets(): SessionSecrets {
  let made = 0;
  return {
    make() {
      made += 1;
      return `secret-${made}`.padEnd(43, '_');
    },
    hashOf: (secret) => (secret.startsWith('secret-') ? createHash('sha256').update(secret).digest('hex') : null),
  };
}
