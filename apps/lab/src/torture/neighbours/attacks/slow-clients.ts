import { SlowClient } from '@postshelf/harness/slow-client';
import type { Attack } from './attack.ts';
import { keepOpen, rawRequest } from './requests.ts';

const UPLOADS = 20;
/** A rate of 5.2 KB a second, which is higher than `UPLOAD_MIN_BYTES_PER_SECOND`. */
const TRICKLE = { piece: Buffer.alloc(1300), pause: 250 };

const PART = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a.jpg"\r\n\r\n\xff\xd8\xff\xe0';

/** Sends uploads that never end, just fast enough not to be refused. */
export const slowUploads: Attack = {
  name: 'slow-uploads',
  about: `${UPLOADS} uploads at 5.2 KB a second, each replaced when it is refused`,
  async prepare({ port, attackers: [attacker] }) {
    const request = rawRequest(attacker, '/media_contents', {
      type: 'multipart/form-data; boundary=b',
      length: 100_000_000,
      body: Buffer.from(PART, 'latin1'),
    });
    return (signal) => keepOpen(UPLOADS, signal, () => SlowClient.open(port, request, { trickle: TRICKLE }));
  },
};

const CONNECTIONS = 10_000;
/** The limit of file descriptors in docs/deploy/postshelf.service. */
const DESCRIPTORS = 65_536;

/** Opens connections without sending a request. */
export const silentConnections: Attack = {
  name: 'silent-connections',
  about: `${CONNECTIONS} silent connections to a service with ${DESCRIPTORS} descriptors, each replaced when it is closed`,
  surroundings: { descriptors: DESCRIPTORS },
  prepare:
    async ({ port }) =>
    (signal) =>
      keepOpen(CONNECTIONS, signal, () => SlowClient.open(port, '')),
};
