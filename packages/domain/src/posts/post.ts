import type { Uuid } from '../ids.ts';
import type { PostMetrics } from './metrics.ts';

/** A post that was published through a profile. */
export interface Post {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly profileId: Uuid;
  /** The network's own id, unique within the profile; null when it isn't known. */
  readonly externalId: string | null;
  /** Milliseconds since the epoch, UTC, from {@link FIRST_PUBLISHED} to {@link LAST_PUBLISHED}. */
  readonly publishedAt: number;
  readonly text: string | null;
  /** In the order in which they are shown; none twice. */
  readonly mediaIds: readonly Uuid[];
  readonly metrics: PostMetrics;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Code points. */
export const MAX_POST_TEXT_LENGTH = 65_535;
export const MAX_EXTERNAL_ID_LENGTH = 255;

export const MAX_MEDIA_PER_POST = 50;

/** 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z. */
export const FIRST_PUBLISHED = 0;
export const LAST_PUBLISHED = 253_402_300_799_999;
