import { NO_METRICS, type Post, type PostDetails, type PostMetrics } from '@postshelf/domain';

/** The post that there is as soon as something more is said of it; `current` itself when it says nothing new. */
export function withDetails(current: Post, details: PostDetails, now: number): Post {
  const { publishedAt, text = current.text, mediaIds = current.mediaIds } = details;
  const metrics = withMetrics(current.metrics, details.metrics);
  const isNew =
    publishedAt !== current.publishedAt ||
    text !== current.text ||
    !areTheSame(mediaIds, current.mediaIds) ||
    metrics !== current.metrics;
  return isNew ? { ...current, publishedAt, text, mediaIds, metrics, updatedAt: now } : current;
}

/** The post that details make where there is none. */
export const postOfDetails = (details: PostDetails, now: number): Post => ({
  id: details.id,
  workspaceId: details.workspaceId,
  profileId: details.profileId,
  externalId: details.externalId,
  publishedAt: details.publishedAt,
  text: details.text ?? null,
  mediaIds: details.mediaIds ?? [],
  metrics: withMetrics(NO_METRICS, details.metrics),
  createdAt: now,
  updatedAt: now,
});

/** `current` itself when the metrics given are what they were. */
export function withMetrics(current: PostMetrics, given: Partial<PostMetrics> = {}): PostMetrics {
  const metrics = { ...current, ...given };
  const names = Object.keys(current) as (keyof PostMetrics)[];
  return names.every((name) => metrics[name] === current[name]) ? current : metrics;
}

export const areTheSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one === other || (one.length === other.length && one.every((each, index) => each === other[index]));
