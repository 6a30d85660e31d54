import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { activate, beginImport, NO_TERMS, pageRequest, type Workspace } from '@postshelf/domain';
import {
  addFolder,
  addWorkspace,
  newId,
  sampleCover,
  sampleImage,
  sampleToken,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { type Caller, callerByToken, findMedia, listMedia, updateMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { makeWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const NOT_FOUND = { code: 'not_found' } as const;
const JOB = {
  kind: 'import',
  payload: { url: 'https://example.com/a', terms: NO_TERMS, requestId: null },
} as const;
const NO_FOLDER = invalidOn('folder_id', 'The selected folder id is invalid.');

let world: World;
let workspace: Workspace;
let elsewhere: Workspace;
let caller: Caller;

beforeEach(async () => {
  world = await makeWorld();
  workspace = await addWorkspace(world);
  elsewhere = await addWorkspace(world);
  caller = callerByToken(sampleToken([workspace.id]));
});

const processing = (name = 'video') => {
  const id = newId();
  const fullName = `${workspace.id}/${id}/${name}`;
  const details = { id, workspaceId: workspace.id, folderId: null, label: null, name, fullName };
  return beginImport(details, world.clock.now());
};

describe('finding a media item', () => {
  test('returns it with its cover, by its id in lower or upper case', async () => {
    const video = sampleVideo(workspace.id);
    const cover = sampleCover(video);
    await world.media.insert([video, cover]);
    expect(await findMedia(world, caller, video.id)).toEqual({ item: video, cover });
    expect(await findMedia(world, caller, video.id.toUpperCase())).toEqual({ item: video, cover });
    expect(await findMedia(world, caller, cover.id)).toEqual({ item: cover, cover: null });
  });

  test('returns not_found for a foreign, an unknown and a malformed id', async () => {
    const foreign = sampleImage(elsewhere.id);
    await world.media.insert([foreign]);
    for (const id of [foreign.id, newId(), '%2e%2e', '']) {
      expect(await refusalOf(findMedia(world, caller, id))).toEqual(NOT_FOUND);
    }
  });
});

describe('listing media', () => {
  test('returns the requested page, without covers and without other workspaces', async () => {
    const videos = [1, 2, 3].map((updatedAt) => sampleVideo(workspace.id, { updatedAt }));
    await world.media.insert([...videos, ...videos.map(sampleCover), sampleImage(elsewhere.id)]);
    const page = await listMedia(world, workspace, {}, pageRequest(1, 2));
    expect(page.items.map(({ item }) => item)).toEqual(videos.slice(1).reverse());
    expect(page.items.map(({ cover }) => cover?.coverOf)).toEqual(page.items.map(({ item }) => item.id));
    expect(page.total).toBe(3);
  });

  test('filters by folder, and refuses a folder that is foreign or unknown', async () => {
    const folder = await addFolder(world, workspace.id);
    const inside = sampleImage(workspace.id, { folderId: folder.id });
    const outside = sampleImage(workspace.id);
    await world.media.insert([inside, outside]);
    const idsIn = async (folderId: typeof inside.folderId) =>
      (await listMedia(world, workspace, { folderId }, pageRequest())).items.map(({ item }) => item.id);
    expect(await idsIn(folder.id)).toEqual([inside.id]);
    expect(await idsIn(null)).toEqual([outside.id]);
    const foreign = await addFolder(world, elsewhere.id);
    expect(await refusalOf(idsIn(foreign.id))).toEqual(NO_FOLDER);
    expect(await refusalOf(idsIn(newId()))).toEqual(NO_FOLDER);
  });
});

describe('updating a media item', () => {
  test('keeps the extension of its type in a new name, and its object under its key', async () => {
    const image = sampleImage(workspace.id, { name: 'old.png', label: 'kept' });
    await world.media.insert([image]);
    world.clock.advance(3);
    const { item } = await updateMedia(world, image, { name: 'new name.jpg' });
    expect(item).toEqual({ ...image, name: 'new name.png', version: 2, updatedAt: world.clock.now() });
    expect((await world.media.find(image.id))?.item).toEqual(item);
  });

  test('gives an item whose type is not known yet a name without extension', async () => {
    const item = processing();
    await world.processing.begin(item, JOB, { dueAt: 0 });
    expect((await updateMedia(world, item, { name: 'holiday.mp4' })).item.name).toBe('holiday');
  });

  test('adds the extension even if the item becomes active at that moment', async () => {
    const item = processing();
    await world.processing.begin(item, JOB, { lease: { owner: 'worker', until: world.clock.now() + 1000 } });
    const { content } = sampleVideo(workspace.id);
    const finishing = replacing(world.media, {
      async update(id, change, now) {
        // It is `processing` when it is found, and `active` when the change is written.
        await world.processing.finish({ kind: 'import', subjectId: id }, 'worker', (now) => ({
          item: activate(now, { name: 'video.mov', fullName: `${workspace.id}/${id}/video.mov`, content }, 1),
          cover: null,
        }));
        return world.media.update(id, change, now);
      },
    });
    const { item: updated } = await updateMedia({ ...world, media: finishing }, item, { name: 'holiday' });
    expect(updated).toMatchObject({ status: 'active', name: 'holiday.mov' });
    expect((await world.media.find(item.id))?.item).toEqual(updated);
  });

  test('refuses a folder that is foreign or unknown, and changes nothing', async () => {
    const image = sampleImage(workspace.id);
    await world.media.insert([image]);
    const foreign = await addFolder(world, elsewhere.id);
    for (const folderId of [foreign.id, newId()]) {
      expect(await refusalOf(updateMedia(world, image, { name: 'new', folderId }))).toEqual(NO_FOLDER);
    }
    expect((await world.media.find(image.id))?.item).toEqual(image);
  });

  test('refuses a cover', async () => {
    const video = sampleVideo(workspace.id);
    const cover = sampleCover(video);
    await world.media.insert([video, cover]);
    expect(await refusalOf(updateMedia(world, cover, { name: 'mine' }))).toEqual(
      invalidOn('id', 'The media item is the cover of a video and cannot be changed on its own.'),
    );
  });

  test('returns not_found if the item is deleted meanwhile', async () => {
    expect(await refusalOf(updateMedia(world, sampleImage(workspace.id), { label: 'late' }))).toEqual(NOT_FOUND);
  });
});
