import { SlowClient } from '@postshelf/harness/slow-client';
import type { Attack } from './attack.ts';
import { keepOpen } from './requests.ts';

const CONNECTIONS = 1100;
const DESCRIPTORS = 1024;

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
