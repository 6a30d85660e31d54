import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  ARCHIVE_LIFE,
  ATTACHMENT_REFUSALS,
  type LinkSignature,
  MAX_ARCHIVE_ITEMS,
  MAX_ARCHIVES,
  type MediaItem,
  type Workspace,
} from '@postshelf/domain';
import {
  addFolder,
  addWorkspace,
  newId,
  sampleCover,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { collectGarbage, createArchive, openArchive } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const GB = 1024 ** 3;

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

const create = (items: readonly Pick<MediaItem, 'id'>[]) =>
  createArchive(
    world,
    workspace,
    items.map(({ id }) => id),
  );

/** Opens an archive by the path that {@link createArchive} returns. */
const open = (path: string) => {
  const { pathname, searchParams } = new URL(path, 'https://shelf.example/');
  const signature: LinkSignature = { expires: searchParams.get('expires'), signature: searchParams.get('signature') };
  return openArchive(world, pathname.slice('/archives/'.length), signature);
};

const sizedImage = (size: number) => {
  const { content, ...item } = sampleImage(workspace.id);
  return { ...item, content: { ...content, size } };
};

describe('an archive', () => {
  test('contains the files of its items in order, with the folder names at the time of opening', async () => {
    const summer = await addFolder(world, workspace.id, { name: 'Summer' });
    const beach = await addFolder(world, workspace.id, { name: 'Beach', parentId: summer.id });
    const items = [
      sampleImage(workspace.id, { name: 'b.jpg', folderId: beach.id }),
      sampleImage(workspace.id, { name: 'a.jpg' }),
      sampleImage(workspace.id, { name: 'a.jpg' }),
    ];
    await world.media.insert(items);
    const { path } = await create(items);
    await world.folders.update(summer.id, { name: 'Winter' }, world.clock.now());
    const { files, deleted, notePath } = await open(path);
    expect(files.map((file) => file.path)).toEqual(['Winter/Beach/b.jpg', 'a.jpg', 'a (2).jpg']);
    expect(files.map(({ item }) => item.id)).toEqual(items.map(({ id }) => id));
    expect([deleted, notePath]).toEqual([0, 'Not included.txt']);
  });

  test('counts items that were deleted after its creation, and is not found once all are deleted', async () => {
    const items = [sampleImage(workspace.id), sampleImage(workspace.id)];
    await world.media.insert(items);
    const { path } = await create(items);
    const [first = newId(), second = newId()] = items.map(({ id }) => id);
    await world.trashed.add(first, world.clock.now());
    expect(await open(path)).toMatchObject({ files: [{ item: { id: second } }], deleted: 1 });
    await world.media.delete(second);
    expect(await refusalOf(open(path))).toEqual({ code: 'not_found' });
  });

  test('is refused without its signature or after its expiry, and garbage collection deletes it later', async () => {
    const item = sampleImage(workspace.id);
    await world.media.insert([item]);
    const { path, expiresAt } = await create([item]);
    expect(expiresAt).toBe(Math.floor(world.clock.now() / 1000 + ARCHIVE_LIFE) * 1000);
    const other = await create([item]);
    const [own = '', foreign = ''] = [path, other.path].map((each) => each.split('?')[0]);
    for (const wrong of [own, `${path}x`, path.replace(own, foreign), path.replace('expires=1', 'expires=2')])
      expect(await refusalOf(open(wrong))).toMatchObject({ code: 'forbidden' });
    for (const wrong of [path.replace('.zip', ''), path.replace(workspace.id, newId())])
      expect(await refusalOf(open(wrong))).toEqual({ code: 'not_found' });
    await collectGarbage(world);
    world.clock.advance(ARCHIVE_LIFE * 1000 - 1000);
    expect((await open(path)).files).toHaveLength(1);
    world.clock.advance(1000);
    expect(await refusalOf(open(path))).toMatchObject({ code: 'forbidden' });
    world.clock.advance(1000);
    expect(await world.archives.prune(world.clock.now(), 0)).toBe(0);
    await collectGarbage(world);
    const id = own.slice(-40, -4);
    expect(await world.archives.find(id as typeof item.id)).toBeNull();
  });
});

describe('creating an archive', () => {
  test('refuses ids that are not active items of the workspace', async () => {
    const video = sampleVideo(workspace.id);
    const cover = sampleCover(video);
    const processing = sampleProcessing(workspace.id);
    const foreign = sampleImage((await addWorkspace(world)).id);
    await world.media.insert([video, cover]);
    for (const item of [processing, foreign]) await world.media.insert([item]);
    const ids = [video.id, cover.id, processing.id, foreign.id, newId()];
    expect(await refusalOf(createArchive(world, workspace, ids))).toEqual({
      code: 'invalid',
      errors: {
        'ids.1': [ATTACHMENT_REFUSALS.cover],
        'ids.2': [ATTACHMENT_REFUSALS.processing],
        'ids.3': [ATTACHMENT_REFUSALS.unknown],
        'ids.4': [ATTACHMENT_REFUSALS.unknown],
      },
    });
  });

  test('reports at most a hundred errors', async () => {
    const refusal = await refusalOf(createArchive(world, workspace, Array.from({ length: MAX_ARCHIVE_ITEMS }, newId)));
    expect(Object.keys('errors' in refusal ? refusal.errors : {})).toHaveLength(100);
  });

  test('refuses more than 20 GB', async () => {
    const items = [10 * GB, 10 * GB, 1].map(sizedImage);
    await world.media.insert(items);
    const sentence = 'The files have 20.1 GB in total, but a ZIP file can have at most 20 GB.';
    expect(await refusalOf(create(items))).toEqual(invalidOn('ids', sentence));
    expect((await open((await create(items.slice(0, 2))).path)).files).toHaveLength(2);
  });

  test('is refused while the workspace has too many archives', async () => {
    const item = sampleImage(workspace.id);
    await world.media.insert([item]);
    for (let made = 0; made < MAX_ARCHIVES; made += 1) await create([item]);
    expect(await refusalOf(create([item]))).toMatchObject({ code: 'busy' });
    world.clock.advance(ARCHIVE_LIFE * 1000);
    expect(await create([item])).toMatchObject({ path: expect.stringContaining('archives/') });
  });
});
