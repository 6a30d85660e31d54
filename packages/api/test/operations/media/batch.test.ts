import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { MAX_TAGS, Refusal, type Uuid } from '@postshelf/domain';
import { addProfile, samplePost } from '@postshelf/testing/contracts/posts/samples';
import {
  addFolder,
  addWorkspace,
  newId,
  sampleCover,
  sampleImage,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { databases } from '../../support/databases.ts';
import { startApi, type TestApi } from '../../support/service.ts';

afterEach(databases.closeAll);

let api: TestApi;
let path: string;

beforeEach(async () => {
  api = await startApi();
  path = `/v1/workspaces/${api.workspace.id}/media_contents/batch`;
});

async function addImage(workspaceId = api.workspace.id): Promise<Uuid> {
  const item = sampleImage(workspaceId);
  await api.ports.media.insert([item]);
  return item.id;
}

async function ask(json: object, headers: Record<string, string> = {}) {
  const response = await api.send('POST', path, { json }, headers);
  const body = (await response.json()) as { data?: object[]; errors?: Record<string, string[]> };
  return { status: response.status, replayed: response.headers.get('idempotency-replayed'), ...body };
}

const done = (id: string) => ({ id, ok: true, message: null });
const refused = (id: string, message: string) => ({ id, ok: false, message });

describe('a batch of media items', () => {
  test('is moved, tagged, untagged and deleted, and outcomes are in the order of the ids', async () => {
    const [one, two] = [await addImage(), await addImage()];
    const foreign = await addImage((await addWorkspace(api.ports)).id);
    const video = sampleVideo(api.workspace.id);
    const cover = sampleCover(video);
    await api.ports.media.insert([video, cover]);
    const used = await addImage();
    const post = samplePost(await addProfile(api.ports, api.workspace.id), { mediaIds: [used] });
    await api.ports.posts.insert(post);
    const folder = await addFolder(api.ports, api.workspace.id);
    const unknown = newId();
    const ids = [one, 'x', unknown, foreign, cover.id, used, two.toUpperCase(), ''];
    const others = (ofUsed: object) => [
      done(one),
      refused('x', 'Not found.'),
      refused(unknown, 'Not found.'),
      refused(foreign, 'Not found.'),
      refused(cover.id, 'The media item is the cover of a video and cannot be changed separately.'),
      ofUsed,
      done(two.toUpperCase()),
      refused('', 'Not found.'),
    ];
    const folderOf = async (id: Uuid) => (await api.ports.media.find(id))?.item.folderId;
    const tagsOf = async (id: Uuid) => (await api.ports.media.tagsOf([id])).get(id) ?? [];

    expect((await ask({ ids, action: 'move', folder_id: folder.id })).data).toEqual(others(done(used)));
    expect([await folderOf(one), await folderOf(two), await folderOf(used)]).toEqual(Array(3).fill(folder.id));
    expect((await ask({ ids: [one], action: 'move', folder_id: null })).data).toEqual([done(one)]);
    expect(await folderOf(one)).toBeNull();

    const full = Array.from({ length: MAX_TAGS }, (_, n) => `tag ${n}`);
    expect((await ask({ ids: [one], action: 'tag', tags: full })).data).toEqual([done(one)]);
    expect((await ask({ ids: [two, one], action: 'tag', tags: [' Summer '] })).data).toEqual([
      done(two),
      refused(one, `The media item would have more than ${MAX_TAGS} tags.`),
    ]);
    await ask({ ids: [one, two], action: 'untag', tags: ['SUMMER', 'tag 0'] });
    expect([await tagsOf(one), await tagsOf(two)]).toEqual([full.slice(1), []]);

    expect((await ask({ ids, action: 'delete' })).data).toEqual(
      others(refused(used, 'The media item is used by a post.')),
    );
    const left = [one, two, used, foreign, video.id, cover.id].map(
      async (id) => (await api.ports.media.find(id)) !== null,
    );
    expect(await Promise.all(left)).toEqual([false, false, true, true, true, true]);
  });

  test.each([
    ['no ids', { ids: [] }, ['ids']],
    ['501 ids', { ids: Array.from({ length: 501 }, (_, n) => `${n}`) }, ['ids']],
    ['an id twice', { ids: ['a', 'b', 'a'] }, ['ids.2']],
    [
      'an id in two spellings',
      { ids: ['019F5B0E-6A3D-7E11-8C42-9F0D3B7A5E64', '019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64'] },
      ['ids.1'],
    ],
    ['a number as an id', { ids: [7] }, ['ids.0']],
    ['an unknown action', { action: 'copy' }, ['action']],
    ['a move without a folder', { action: 'move' }, ['folder_id']],
    ['an unknown folder', { action: 'move', folder_id: newId() }, ['folder_id']],
    ['an unknown folder and no ids', { ids: [], action: 'move', folder_id: newId() }, ['folder_id', 'ids']],
    ['no tags', { action: 'tag' }, ['tags']],
    ['an empty list of tags', { action: 'untag', tags: [] }, ['tags']],
    ['a tag twice', { action: 'tag', tags: ['a', 'A'] }, ['tags.1']],
  ])('is rejected with %s, and nothing is done', async (_, fields, failing) => {
    const id = await addImage();
    const { status, errors } = await ask({ ids: [id], action: 'delete', ...fields });
    expect([status, Object.keys(errors ?? {}).sort()]).toEqual([422, failing]);
    expect(await api.ports.media.find(id)).not.toBeNull();
  });

  test('of the maximum size succeeds and releases its slot, and a repeat gets the stored response', async () => {
    const ids = await Promise.all(Array.from({ length: 500 }, () => addImage()));
    const json = { ids, action: 'delete' };
    const first = await ask(json, { 'Idempotency-Key': 'all' });
    expect([first.status, first.data]).toEqual([200, ids.map(done)]);
    expect(api.ports.shares.figures('writes')).toMatchObject({ inUse: 0, waiting: 0 });
    const again = await ask(json, { 'Idempotency-Key': 'all' });
    expect([again.replayed, again.data]).toEqual(['true', ids.map(done)]);
    expect((await ask({ ids: [ids[0]], action: 'delete' })).data).toEqual([refused(ids[0] ?? '', 'Not found.')]);
  });

  test('stops when the database fails and releases its slot', async () => {
    const gone = new Refusal({ code: 'unavailable', message: 'The database is unavailable. Try again later.' });
    let finds = 0;
    api = await startApi((ports) => ({
      media: {
        ...ports.media,
        find: (id) => {
          finds += 1;
          return finds > 10 ? Promise.reject(gone) : ports.media.find(id);
        },
      },
    }));
    path = `/v1/workspaces/${api.workspace.id}/media_contents/batch`;
    const ids = await Promise.all(Array.from({ length: 100 }, () => addImage()));
    expect((await ask({ ids, action: 'delete' })).status).toBe(503);
    // No further items are tried after the failure.
    expect(finds).toBeLessThan(20);
    expect(api.ports.shares.figures('writes').inUse).toBe(0);
  });
});
