/** What a network counts of a post. */
export interface PostMetrics {
  readonly impressions: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly saves: number;
  readonly clicks: number;
}

/** The greatest that one metric may be: of twenty thousand such posts the engagement is still an exact integer. */
export const MAX_METRIC = 100_000_000_000;

export const NO_METRICS: PostMetrics = { impressions: 0, likes: 0, comments: 0, shares: 0, saves: 0, clicks: 0 };

/** What people did with a post, as far as the heatmap counts it (docs/api.md, "Best times"). */
export const engagementOf = ({ likes, comments, shares, saves }: PostMetrics): number =>
  likes + comments + shares + saves;
