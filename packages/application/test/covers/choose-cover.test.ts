import { beforeEach, describe, expect, test } from 'bun:test';
import { type CoverChoice, type MediaWithCover, Refusal, type Uuid, type Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { deleteMedia, UploadBatch, updateWithCover } from '../../src/index.ts';
import { JPEG, MP4, PNG } from '../support/files.ts';
import { bodyOf, bytesUnder, countStaged, destroyDeleted, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

let world: World;
let workspace: Workspace;
let video: MediaWithCover;
let image: MediaWithCover;

const never = (): AbortSignal => new AbortController().signal;

async function upload(ports: World, home: Workspace, name: string, bytes: Uint8Array): Promise<MediaWithCover> {
  const batch = new UploadBatch(ports, home);
  try {
    await batch.add(name, bodyOf(bytes));
    const [stored] = await batch.commit({ label: null, folderId: null });
    if (!stored) throw new Error('It was not stored.');
    return stored;
  } finally {
    await batch.discard();
  }
}

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  [world, workspace] = [inhabited, inhabited.workspace];
  video = await upload(world, workspace, 'film.mp4', MP4);
  image = await upload(world, workspace, 'poster.png', PNG);
});

const choose = (choice: CoverChoice, ports: World = world, of = video, change = {}) =>
  updateWithCover(ports, of, change, choice, { signal: never(), onLeftOver: () => undefined });

const current = async (): Promise<MediaWithCover> => {
  const found = await world.media.find(video.item.id);
  if (!found) throw new Error('The video is gone.');
  return found;
};

async function errorsOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof Refusal) return error.problem.code === 'invalid' ? error.problem.errors : error.problem.code;
  return error;
}

describe('a chosen cover', () => {
  test('is a copy of the chosen image, so that the image and the video can be deleted independently', async () => {
    const { cover } = await choose({ mediaContentId: image.item.id });
    expect(cover).toMatchObject({ name: 'film.png', content: { type: 'image/png', width: 16, height: 9 } });
    await deleteMedia(world, image.item, () => undefined);
    await destroyDeleted(world);
    expect(await bytesUnder(world, cover?.fullName ?? '')).toEqual(PNG);
    expect(await bytesUnder(world, image.item.fullName)).toBeNull();
    const other = await upload(world, workspace, 'other.png', JPEG);
    await choose({ mediaContentId: other.item.id }, world, await current());
    await deleteMedia(world, video.item, () => undefined);
    await destroyDeleted(world);
    expect(await publishedKeys(world)).toEqual([other.item.fullName]);
  });

  test('is not stored if the video is deleted meanwhile, or the change is refused', async () => {
    const before = await publishedKeys(world);
    const refusing = replacing(world.media, { update: async () => null });
    expect(await errorsOf(choose({ at: 1 }, { ...world, media: refusing }))).toBe('not_found');
    const folderId = world.ids.next();
    expect(await errorsOf(choose({ at: 1 }, world, video, { folderId }))).toEqual({
      folder_id: ['The selected folder id is invalid.'],
    });
    const stale = updateWithCover(
      world,
      video,
      {},
      { at: 1 },
      { expected: [99], signal: never(), onLeftOver: () => undefined },
    );
    expect(await errorsOf(stale)).toBe('changed');
    expect(await publishedKeys(world)).toEqual(before);
    expect([await current(), countStaged(world)]).toEqual([video, 0]);
  });

  test('keeps its object if the database becomes unavailable right after it has stored the change', async () => {
    const lost = new Refusal({ code: 'unavailable', message: 'The database is unavailable.' });
    const losing = replacing(world.media, {
      update: async (...args) => {
        await world.media.update(...args);
        throw lost;
      },
    });
    expect(await errorsOf(choose({ at: 1 }, { ...world, media: losing }))).toBe('unavailable');
    const { cover } = await current();
    expect(cover).not.toEqual(video.cover);
    expect(await publishedKeys(world)).toContain(`${cover?.fullName}`);
  });

  test('replaces a publicly readable cover, which is moved to the trash and then purged like other deleted objects', async () => {
    const slow = replacing(world.media, {
      update: async (...args) => {
        const updated = await world.media.update(...args);
        world.clock.advance(1);
        return updated;
      },
    });
    await choose({ at: 1 }, { ...world, media: slow, isPublic: true });
    expect(await Array.fromAsync(world.trash.list())).toMatchObject([{ key: video.cover?.fullName }]);
    await destroyDeleted(world);
    expect(await Array.fromAsync(world.trash.list())).toEqual([]);
  });

  test('requires a video, a time within it, and an active image of the same workspace', async () => {
    const elsewhere = await addWorkspace(world);
    const foreign = await upload(world, elsewhere, 'foreign.png', PNG);
    const NO_IMAGE = { 'cover.media_content_id': ['It must be an active image of the workspace.'] };
    expect(await errorsOf(choose({ at: 75.6 }))).toEqual({ 'cover.at': ['The video ends after 75.5 seconds.'] });
    expect(await errorsOf(choose({ at: 0 }, world, image))).toEqual({ cover: ['Only a video has a cover.'] });
    for (const id of [foreign.item.id, video.item.id, video.cover?.id, world.ids.next()]) {
      expect(await errorsOf(choose({ mediaContentId: id as Uuid }))).toEqual(NO_IMAGE);
    }
    expect(await errorsOf(choose({ at: 1 }, world, { item: video.cover as never, cover: null }))).toEqual({
      id: ['The media item is the cover of a video and cannot be changed separately.'],
    });
  });

  test('is refused without ffmpeg, or if no frame can be read at that time', async () => {
    const without = { ...world, frames: { take: async () => 'no_tool' as const } };
    expect(await errorsOf(choose({ at: 1 }, without))).toEqual({
      cover: ['This server has no ffmpeg, which is needed to use a frame of the video. Choose an image instead.'],
    });
    const unreadable = { ...world, frames: { take: async () => null } };
    expect(await errorsOf(choose({ at: 1 }, unreadable))).toEqual({
      'cover.at': ['No frame of the video could be read at that time. Choose another frame, or an image.'],
    });
    expect((await choose({ mediaContentId: image.item.id }, without)).cover).not.toBeNull();
  });
});
