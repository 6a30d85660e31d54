import { SlowClient } from '@postshelf/harness/slow-client';
import type { Attack } from './attack.ts';
import { keepOpen } from './requests.ts';

const CONNECTIONS = 10_000;
/** The limit in docs/deploy/postshelf.service. */
const DESCRIPTORS = 65_536;

/** Connections without a request. */
export const silentConnections: Attack = {
  name: 'silent-connections',
  about: `${CONNECTIONS} silent connections to a service with ${DESCRIPTORS} descriptors, each followed by another when it is closed`,
  surroundings: { descriptors: DESCRIPTORS },
  prepare:
    async ({ port }) =>
    (signal) =>
      keepOpen(CONNECTIONS, signal, () => SlowClient.open(port, '')),
};
