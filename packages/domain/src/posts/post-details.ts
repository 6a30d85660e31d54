import type { Uuid } from '../ids.ts';
import { FIRST_VERSION } from '../versions/version.ts';
import { NO_METRICS, type Post, type PostMetrics } from './post.ts';

/** If the post exists, absent fields stay unchanged; in a new post they are empty. */
export interface PostDetails {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly profileId: Uuid;
  readonly externalId: string;
  readonly publishedAt: number;
  readonly text?: string | null;
  readonly mediaIds?: readonly Uuid[];
  readonly metrics?: Partial<PostMetrics>;
}

/** Absent fields stay unchanged. */
export interface PostEdit extends Partial<Pick<Post, 'publishedAt' | 'text' | 'mediaIds' | 'externalId'>> {
  readonly metrics?: Partial<PostMetrics>;
}

export const postOfDetails = (details: PostDetails, now: number): Post => ({
  id: details.id,
  workspaceId: details.workspaceId,
  profileId: details.profileId,
  externalId: details.externalId,
  publishedAt: details.publishedAt,
  text: details.text ?? null,
  mediaIds: details.mediaIds ?? [],
  metrics: withMetrics(NO_METRICS, details.metrics),
  version: FIRST_VERSION,
  createdAt: now,
  updatedAt: now,
});

/** Returns `current` itself if the edit changes nothing. */
export function withEdit(current: Post, edit: PostEdit, now: number): Post {
  const { publishedAt, text, mediaIds, externalId } = { ...current, ...edit };
  const metrics = withMetrics(current.metrics, edit.metrics);
  const version = current.version + 1;
  const changed: Post = { ...current, publishedAt, text, mediaIds, externalId, metrics, version, updatedAt: now };
  const isSame =
    publishedAt === current.publishedAt &&
    text === current.text &&
    externalId === current.externalId &&
    hasSameMedia(changed, current) &&
    metrics === current.metrics;
  return isSame ? current : changed;
}

/** Returns `current` itself if the metrics change nothing. */
function withMetrics(current: PostMetrics, given: Partial<PostMetrics> = {}): PostMetrics {
  const metrics = { ...current, ...given };
  const names = Object.keys(current) as (keyof PostMetrics)[];
  return names.every((name) => metrics[name] === current[name]) ? current : metrics;
}

export const hasSameMedia = ({ mediaIds: one }: Post, { mediaIds: other }: Post): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);
