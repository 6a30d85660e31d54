import type { Uuid } from '../ids.ts';

/** A tenant: media, folders, profiles and posts belong to exactly one. */
export interface Workspace {
  readonly id: Uuid;
  readonly name: string;
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}
