import { NO_METRICS, type Post, type PostDetails, type Profile, type Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, newId } from '../samples.ts';
import type { Stores } from '../stores.ts';

export const sampleProfile = (workspaceId: Uuid, details: Partial<Profile> = {}): Profile => ({
  id: newId(),
  workspaceId,
  name: 'Sample',
  network: 'instagram',
  version: 1,
  createdAt: NOW,
  updatedAt: NOW,
  ...details,
});

/** Inserts a new profile, into a new workspace unless one is given, and returns it. */
export async function addProfile(stores: Stores, workspaceId?: Uuid, details: Partial<Profile> = {}): Promise<Profile> {
  const profile = sampleProfile(workspaceId ?? (await addWorkspace(stores)).id, details);
  await stores.profiles.insert(profile);
  return profile;
}

export const samplePost = (profile: Profile, details: Partial<Post> = {}): Post => ({
  id: newId(),
  workspaceId: profile.workspaceId,
  profileId: profile.id,
  externalId: null,
  publishedAt: NOW,
  text: 'Sample',
  mediaIds: [],
  metrics: { impressions: 600, likes: 50, comments: 4, shares: 3, saves: 2, clicks: 1 },
  version: 1,
  createdAt: NOW,
  updatedAt: NOW,
  ...details,
});

/** Inserts a new post and returns it. */
export async function addPost(stores: Stores, profile: Profile, details: Partial<Post> = {}): Promise<Post> {
  const post = samplePost(profile, details);
  const conflict = await stores.posts.insert(post);
  if (conflict !== null) throw new Error(`A sample post was refused: ${conflict.conflict}`);
  return post;
}

/** Returns the minimum details of a post. */
export const sampleDetails = (profile: Profile, details: Partial<PostDetails> = {}): PostDetails => ({
  id: newId(),
  workspaceId: profile.workspaceId,
  profileId: profile.id,
  externalId: newId(),
  publishedAt: NOW,
  ...details,
});

/** Returns a new post with these details. */
export const madeOf = (details: PostDetails, now: number): Post => ({
  text: null,
  mediaIds: [],
  ...details,
  metrics: { ...NO_METRICS, ...details.metrics },
  version: 1,
  createdAt: now,
  updatedAt: now,
});
