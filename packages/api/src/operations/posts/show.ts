import type { EventPost, Post } from '@postshelf/domain';

/** Returns a post in the form that answers show (docs/api.md, "Posts"). */
export const showPost = (post: Post) => ({ ...showEventPost(post), text: post.text });

/** Returns a post in the form that events show, without its text. */
export const showEventPost = ({ id, profileId, externalId, publishedAt, mediaIds, metrics }: EventPost) => ({
  id,
  profile: profileId,
  external_id: externalId,
  published_at: new Date(publishedAt).toISOString(),
  media_content_ids: [...mediaIds],
  metrics,
});
