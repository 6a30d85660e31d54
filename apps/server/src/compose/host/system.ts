import { createHash, randomBytes } from 'node:crypto';
import { type Clock, type Ids, parseUuid, type SessionSecrets } from '@postshelf/domain';

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Bun's UUIDv7 counts within a millisecond, so that ids of one process sort by creation. */
export const systemIds: Ids = {
  next() {
    const id = parseUuid(Bun.randomUUIDv7());
    if (!id) throw new Error('Bun.randomUUIDv7 made no UUID.');
    return id;
  },
};

/** 256 random bits, kept by their SHA-256: nothing slower is needed where nobody can guess. */
export const systemSecrets: SessionSecrets = {
  make: () => randomBytes(32).toString('base64url'),
  hashOf: (secret) => createHash('sha256').update(secret).digest('hex'),
};
