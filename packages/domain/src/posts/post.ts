import type { Uuid } from '../ids.ts';

export interface Post {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly profileId: Uuid;
  /** Unique within the profile. */
  readonly externalId: string | null;
  readonly publishedAt: number;
  readonly text: string | null;
  /** Item ids in display order, without duplicates. */
  readonly mediaIds: readonly Uuid[];
  readonly metrics: PostMetrics;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The earliest stored time: releases that didn't check {@link isPublishable} stored posts from 1970 on. */
export const FIRST_PUBLISHED = 0;
export const LAST_PUBLISHED = 253_402_300_799_999;

const YEAR_2000 = Date.UTC(2000, 0, 1);
const TWO_YEARS = 2 * 366 * 24 * 60 * 60 * 1000;

export const isPublishable = (instant: number, now: number): boolean =>
  instant >= YEAR_2000 && instant <= now + TWO_YEARS;

export interface PostMetrics {
  readonly impressions: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly saves: number;
  readonly clicks: number;
}

export const NO_METRICS: PostMetrics = { impressions: 0, likes: 0, comments: 0, shares: 0, saves: 0, clicks: 0 };

/** Whether a post counts towards best times. A planned post counts only once it has metrics. */
export const isCounted = ({ publishedAt, createdAt, metrics }: Pick<Post, 'publishedAt' | 'createdAt' | 'metrics'>) =>
  publishedAt <= createdAt || Object.values(metrics).some((count) => count > 0);

/** Returns the engagement that the heatmap counts (docs/api.md, "Best times"). */
export const engagementOf = ({ likes, comments, shares, saves }: PostMetrics): number =>
  likes + comments + shares + saves;
