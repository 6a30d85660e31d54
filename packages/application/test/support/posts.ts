import type { Profile, Workspace } from '@postshelf/domain';
import { createProfile, type NewPost } from '../../src/index.ts';
import type { World } from './world.ts';

export const addProfile = (world: World, workspace: Workspace): Promise<Profile> =>
  createProfile(world, workspace, { name: 'Beach club', network: 'instagram' });

export const PUBLISHED = Date.UTC(2026, 0, 31, 18, 30);

/** Returns a post of the profile with only the required fields. */
export const bare = ({ id }: Profile): NewPost => ({
  profileId: id,
  externalId: null,
  publishedAt: PUBLISHED,
  text: null,
  mediaIds: [],
  metrics: { impressions: 0, likes: 0, comments: 0, shares: 0, saves: 0, clicks: 0 },
});
