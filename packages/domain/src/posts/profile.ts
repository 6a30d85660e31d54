import type { Uuid } from '../ids.ts';

/** An account on a social network, whose posts are measured against each other. */
export interface Profile {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly name: string;
  /** What the caller calls the network, such as `instagram`. */
  readonly network: string;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Code points, after trimming. */
export const MAX_PROFILE_NAME_LENGTH = 100;
export const MAX_NETWORK_LENGTH = 50;
