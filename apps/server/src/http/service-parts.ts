import type { ServiceParts } from '@postshelf/api';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import { version } from '../telemetry/version.ts';

/**
 * Maximum milliseconds that an answer waits for an image by URL. They are fewer than the idle time of the connection.
 */
const IMAGE_TIMEOUT = 120_000;

/**
 * Returns the parts of the service that a server and a command create in the same way, from settings and the
 * composition.
 */
export const servicePartsOf = (config: Config, { ports, store }: Composition) =>
  ({
    ports,
    publicUrl: config.publicUrl,
    ownOrigin: config.ownOrigin,
    version,
    trustProxy: config.trustProxy,
    bodyTimeouts: { idle: config.uploadIdleTimeout, minimumRate: config.uploadMinimumRate },
    presignReceiver: store.presignReceiver,
    mediaBase: store.mediaBase,
    links: store.links,
    redirects: store.redirects,
    imports: { runner: null, retryDelays: config.importRetryDelays, imageTimeout: IMAGE_TIMEOUT },
  }) satisfies Partial<ServiceParts>;
