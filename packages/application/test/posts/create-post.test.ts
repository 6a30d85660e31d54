import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Profile, Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { createPost, deleteMedia, postErrors } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage } from '../support/objects.ts';
import { addProfile, bare } from '../support/posts.ts';
import { refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let profile: Profile;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  profile = await addProfile(world, workspace);
});

const errorsOf = async (action: Promise<unknown>) => {
  const problem = await refusalOf(action);
  return problem.code === 'invalid' ? problem.errors : problem;
};

describe('a post', () => {
  test('has an external id that is unique in its profile', async () => {
    const taken = { external_id: ['The external id has already been taken.'] };
    await createPost(world, workspace, { ...bare(profile), externalId: 'x' });
    expect(await errorsOf(createPost(world, workspace, { ...bare(profile), externalId: 'x' }))).toEqual(taken);
    const other = await addProfile(world, workspace);
    await createPost(world, workspace, { ...bare(other), externalId: 'x' });
    // Another request inserts the post between the check and the insert.
    const posts = replacing(world.posts, { findExternal: async () => null });
    const late = createPost({ ...world, posts }, workspace, { ...bare(profile), externalId: 'x' });
    expect(await errorsOf(late)).toEqual(taken);
  });

  test('is refused when its media are deleted between the check and the insert', async () => {
    const image = await addImage(world, workspace.id, { name: 'a.jpg' });
    const gone = replacing(world.posts, {
      insert: async (post) => {
        await deleteMedia(world, image, () => undefined);
        return world.posts.insert(post);
      },
    });
    const late = createPost({ ...world, posts: gone }, workspace, { ...bare(profile), mediaIds: [image.id] });
    expect(await errorsOf(late)).toEqual({ 'media_content_ids.0': ['The selected media item is invalid.'] });
  });
});

test('postErrors looks all media up together, and reports those that are missing', async () => {
  const image = await addImage(world, workspace.id);
  const ids = [newId(), image.id, 'x', newId()];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const media = replacing(world.media, {
    find: async (id) => {
      begun += 1;
      if (begun === 3) resolve();
      await all;
      return world.media.find(id);
    },
  });
  const unknown = ['The selected media item is invalid.'];
  expect(await postErrors({ ...world, media }, workspace.id, { media_content_ids: ids })).toEqual({
    'media_content_ids.0': unknown,
    'media_content_ids.3': unknown,
  });
});

test('postErrors reports nothing for malformed references, which the schema rejects', async () => {
  for (const nothing of [undefined, null, 7, 'x', {}, [1, 'x', null]]) {
    const raw = { profile: nothing, external_id: nothing, media_content_ids: nothing };
    expect(await postErrors(world, workspace.id, raw)).toEqual({});
  }
});
