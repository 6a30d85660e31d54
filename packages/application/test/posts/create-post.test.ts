import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { beginImport, type Profile, type Uuid, type Workspace } from '@postshelf/domain';
import { addWorkspace, sampleCover } from '@postshelf/testing/contracts/samples';
import { createPost, deleteMedia, deletePost, listPosts, postErrors, updatePost } from '../../src/index.ts';
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
  test('is stored with the active media that it names, in their order', async () => {
    const [first, second] = [
      await addImage(world, workspace.id, { name: 'a.jpg' }),
      await addImage(world, workspace.id, { name: 'b.jpg' }),
    ];
    const post = await createPost(world, workspace, { ...bare(profile), mediaIds: [second.id, first.id] });
    expect(await world.posts.find(post.id)).toEqual(post);
    expect(post.mediaIds).toEqual([second.id, first.id]);
  });

  test('reports all invalid references together', async () => {
    const elsewhere = await addWorkspace(world);
    const image = await addImage(world, workspace.id, { name: 'a.jpg' });
    const cover = sampleCover(await addImage(world, workspace.id, { name: 'video.jpg' }));
    const details = { folderId: null, name: 'x', fullName: 'x/y/z', label: null, workspaceId: workspace.id };
    const processing = beginImport({ ...details, id: world.ids.next() }, 0);
    await world.media.insert([cover, processing]);
    const foreign = await addImage(world, elsewhere.id, { name: 'c.jpg' });
    const stranger = await addProfile(world, elsewhere);
    const mediaIds = [processing.id, image.id, foreign.id, cover.id, world.ids.next()];
    expect(await errorsOf(createPost(world, workspace, { ...bare(stranger), mediaIds }))).toEqual({
      profile: ['The selected profile is invalid.'],
      'media_content_ids.0': ['The media item is still processing.'],
      'media_content_ids.2': ['The selected media item is invalid.'],
      'media_content_ids.3': ['The media item is the cover of a video.'],
      'media_content_ids.4': ['The selected media item is invalid.'],
    });
    expect((await world.posts.list(workspace.id, {}, { offset: 0, limit: 1 })).total).toBe(0);
  });

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

  test('prevents deletion of its media as long as it exists', async () => {
    const image = await addImage(world, workspace.id, { name: 'a.jpg' });
    const post = await createPost(world, workspace, { ...bare(profile), mediaIds: [image.id] });
    const remove = () => deleteMedia(world, image, () => undefined);
    expect(await errorsOf(remove())).toEqual({ media_content: ['The media item is used by a post.'] });
    await deletePost(world, post);
    expect(await refusalOf(deletePost(world, post))).toEqual({ code: 'not_found' });
    await remove();
    expect(await world.media.find(image.id)).toBeNull();
  });
});

test('postErrors leaves malformed references to the schema', async () => {
  for (const nothing of [undefined, null, 7, 'x', {}, [1, 'x', null]]) {
    const raw = { profile: nothing, external_id: nothing, media_content_ids: nothing };
    expect(await postErrors(world, workspace.id, raw)).toEqual({});
  }
});

test('an update keeps omitted metrics, and returns not_found for a deleted post', async () => {
  const post = await createPost(world, workspace, bare(profile));
  await updatePost(world, post, { metrics: { likes: 5, clicks: 2 } });
  expect((await updatePost(world, post, { metrics: { likes: 7 } })).metrics).toEqual({
    ...post.metrics,
    likes: 7,
    clicks: 2,
  });
  await deletePost(world, post);
  expect(await refusalOf(updatePost(world, post, { metrics: { likes: 9 } }))).toEqual({ code: 'not_found' });
});

test('posts can be filtered only by a profile of the workspace', async () => {
  const elsewhere = await addWorkspace(world);
  const stranger = await addProfile(world, elsewhere);
  const page = { page: 1, perPage: 25 };
  for (const profileId of [stranger.id, world.ids.next() as Uuid])
    expect(await errorsOf(listPosts(world, workspace, { profileId }, page))).toEqual({
      profile: ['The selected profile is invalid.'],
    });
  const post = await createPost(world, workspace, bare(profile));
  expect((await listPosts(world, workspace, { profileId: profile.id }, page)).items).toEqual([post]);
});
