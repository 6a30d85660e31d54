import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { activate, beginImport, NO_TERMS, type Workspace } from '@postshelf/domain';
import {
  addWorkspace,
  newId,
  sampleCover,
  sampleImage,
  sampleToken,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { type Caller, findMedia, updateMedia } from '../../src/index.ts';
import { callerByToken } from '../support/callers.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { makeWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const NOT_FOUND = { code: 'not_found' } as const;
const JOB = {
  kind: 'import',
  payload: { url: 'https://example.com/a', terms: NO_TERMS, requestId: null },
} as const;

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

describe('updating a media item', () => {
  test('stores the name without an extension while the type of the item is unknown', async () => {
    const item = processing();
    await world.processing.begin(item, JOB, { dueAt: 0 });
    expect((await updateMedia(world, item, { name: 'holiday.mp4' })).item.name).toBe('holiday');
  });

  test('adds the extension even if the item becomes active while it is renamed', async () => {
    const item = processing();
    await world.processing.begin(item, JOB, { lease: { owner: 'worker', until: world.clock.now() + 1000 } });
    const { content } = sampleVideo(workspace.id);
    const finishing = replacing(world.media, {
      async update(id, change, now) {
        // The item is `processing` when it is found, and `active` when the change is written.
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

  test('refuses a cover', async () => {
    const video = sampleVideo(workspace.id);
    const cover = sampleCover(video);
    await world.media.insert([video, cover]);
    expect(await refusalOf(updateMedia(world, cover, { name: 'mine' }))).toEqual(
      invalidOn('id', 'The media item is the cover of a video and cannot be changed separately.'),
    );
  });

  test('returns not_found if the item is deleted meanwhile', async () => {
    expect(await refusalOf(updateMedia(world, sampleImage(workspace.id), { label: 'late' }))).toEqual(NOT_FOUND);
  });
});
