import type { ServiceParts } from '@postshelf/api';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import { version } from '../telemetry/version.ts';

/**
 * Maximum milliseconds that a request waits for the import of an image by URL. It is less than the connection's idle
 * timeout.
 */
const IMAGE_TIMEOUT = 120_000;

/** Creates the dependencies of operations that are the same in the server and in commands. */
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
