import type { Uuid } from '../ids.ts';

/** A post that was published through a profile. */
export interface Post {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly profileId: Uuid;
  /** The network's id of the post, unique within the profile; null when unknown. */
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

/**
 * 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z: the range of posts that were stored before {@link isPublishable}
 * was checked.
 */
export const FIRST_PUBLISHED = 0;
export const LAST_PUBLISHED = 253_402_300_799_999;

const YEAR_2000 = Date.UTC(2000, 0, 1);
const TWO_YEARS = 2 * 366 * 24 * 60 * 60 * 1000;

/** Whether a post may have been published, or be planned, at this time: from 2000 to two years ahead. */
export const isPublishable = (instant: number, now: number): boolean =>
  instant >= YEAR_2000 && instant <= now + TWO_YEARS;

/** A network's counts for a post. */
export interface PostMetrics {
  readonly impressions: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly saves: number;
  readonly clicks: number;
}

/** The maximum of a metric. The engagement of twenty thousand posts at this maximum is still an exact integer. */
export const MAX_METRIC = 100_000_000_000;

export const NO_METRICS: PostMetrics = { impressions: 0, likes: 0, comments: 0, shares: 0, saves: 0, clicks: 0 };

/** The interactions with a post that the heatmap counts (docs/api.md, "Best times"). */
export const engagementOf = ({ likes, comments, shares, saves }: PostMetrics): number =>
  likes + comments + shares + saves;
