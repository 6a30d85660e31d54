import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { IMPORT_TOO_LARGE, MAX_IMPORT_BYTES, Refusal } from '@postshelf/domain';
import { addWorkspace, newId } from '@postshelf/testing/contracts/samples';
import { fakeFile } from '@postshelf/testing/fakes';
import { databases } from '../support/databases.ts';
import { PUBLIC_URL, startApi, type TestApi } from '../support/service.ts';

afterEach(databases.closeAll);

const JPEG = fakeFile({ type: 'image/jpeg', width: 40, height: 30, time: null }, 100);
const MP4 = fakeFile({ type: 'video/mp4', width: 1920, height: 1080, time: 75 }, 100);
const URL_OF_FILE = 'https://files.example/beach.jpg';

let api: TestApi;
let media: string;
let folders: string;

beforeEach(async () => {
  api = await startApi();
  media = `/v1/workspaces/${api.workspace.id}/media_contents`;
  folders = `/v1/workspaces/${api.workspace.id}/media_library/folders`;
});

async function answerOf(response: Response) {
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function formOf(files: Readonly<Record<string, Uint8Array>>, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes] of Object.entries(files)) form.append('files[]', new File([new Uint8Array(bytes)], name));
  return form;
}

describe('a request with several errors', () => {
  const BAD_BODY = { json: [] };

  test('is rejected for its token first', async () => {
    const response = await api.send('POST', `/v1/workspaces/x/media_library/folders`, BAD_BODY, { Authorization: '' });
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(await answerOf(response)).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
  });

  test('is rejected for a missing scope before its body is checked', async () => {
    const Authorization = `Bearer ${await api.tokenWith({ scopes: ['folders:read', 'media:read'] })}`;
    expect(await answerOf(await api.send('POST', folders, BAD_BODY, { Authorization }))).toEqual({
      status: 403,
      body: { message: 'The scope folders:write is missing.' },
    });
    expect(await answerOf(await api.send('POST', media, formOf({}), { Authorization }))).toEqual({
      status: 403,
      body: { message: 'The scope media:write is missing.' },
    });
  });

  test('is rejected for its workspace before its fields are checked', async () => {
    const foreign = await addWorkspace(api.ports);
    for (const id of [foreign.id, newId(), 'x']) {
      const NOT_FOUND = { status: 404, body: { message: 'Not found.' } };
      const path = `/v1/workspaces/${id}`;
      expect(await answerOf(await api.send('POST', `${path}/media_library/folders`, { json: {} }))).toEqual(NOT_FOUND);
      expect(await answerOf(await api.send('POST', `${path}/media_contents`, { json: {} }))).toEqual(NOT_FOUND);
      expect(await answerOf(await api.send('POST', `${path}/media_contents`, formOf({})))).toEqual(NOT_FOUND);
    }
  });
});

describe('a REST path', () => {
  test('without a route returns 404 with the usual error body', async () => {
    for (const path of ['/', '/v1', '/v1/media', `${media}/x/y`]) {
      expect(await answerOf(await api.send('GET', path))).toEqual({ status: 404, body: { message: 'Not found.' } });
    }
  });

  test('returns 405 with Allow for an unsupported method', async () => {
    const response = await api.send('PUT', media);
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expect(await response.json()).toEqual({ message: 'Method not allowed.' });
  });

  test('determines which resource is changed, even if the body has another id', async () => {
    const ids: unknown[] = [];
    for (const name of ['one', 'two']) {
      const { body } = await answerOf(await api.send('POST', folders, { json: { name } }));
      ids.push((body.data as { id: string }).id);
    }
    const [one, two] = ids;
    const path = `/v1/media_library/folders/${one}`;
    const { body } = await answerOf(await api.send('PATCH', path, { json: { folder: two, id: two, name: 'three' } }));
    expect(body.data).toEqual({ id: one, name: 'three', parent_id: null, is_system: false });
  });
});

describe('an upload by URL', () => {
  const importUrl = async (json: unknown) => answerOf(await api.send('POST', media, { json }));

  test('returns 201 for an image', async () => {
    api.ports.remoteFiles.serve(URL_OF_FILE, { chunks: [JPEG], announcedSize: JPEG.length, ending: 'whole' });
    const { status, body } = await importUrl({ url: URL_OF_FILE, label: 'Summer' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      data: [
        {
          status: 'active',
          name: 'beach.jpg',
          label: 'Summer',
          link: expect.stringContaining(`${PUBLIC_URL}/files/${api.workspace.id}/`),
          size: JPEG.length,
          width: 40,
          height: 30,
          time: null,
          thumbnail: null,
          folder_id: null,
          error_message: null,
        },
      ],
      message: 'The file was stored.',
    });
  });

  test('returns 202 for a video and for a failing remote server', async () => {
    api.ports.remoteFiles.serve(URL_OF_FILE, { chunks: [MP4], announcedSize: null, ending: 'whole' }, { status: 404 });
    for (const name of ['beach.mp4', 'beach']) {
      const { status, body } = await importUrl({ url: URL_OF_FILE });
      expect(status).toBe(202);
      expect(body).toMatchObject({
        data: [{ status: 'processing', name, size: null, width: null, error_message: null }],
        message: 'The file is being imported.',
      });
    }
  });

  test('returns 413 for a file whose declared size is above 2 GB', async () => {
    api.ports.remoteFiles.serve(URL_OF_FILE, { chunks: [MP4], announcedSize: MAX_IMPORT_BYTES + 1, ending: 'whole' });
    expect(await importUrl({ url: URL_OF_FILE })).toEqual({ status: 413, body: { message: IMPORT_TOO_LARGE } });
  });

  test('returns 422 for a URL that is not allowed', async () => {
    const message = 'The host router.example is not publicly reachable.';
    api.ports.remoteFiles.serve(URL_OF_FILE, { kind: 'refused', message });
    expect(await importUrl({ url: URL_OF_FILE })).toEqual({
      status: 422,
      body: { message, errors: { url: [message] } },
    });
  });
});

describe('an upload of files', () => {
  test('returns 201 with the items in the order of the files, with fields before or after them', async () => {
    const { body: made } = await answerOf(await api.send('POST', folders, { json: { name: 'Summer' } }));
    const folder_id = (made.data as { id: string }).id;
    const form = formOf({ 'a.jpg': JPEG, 'b.mov': MP4 }, { label: 'At sea' });
    form.append('folder_id', folder_id);
    const { status, body } = await answerOf(await api.send('POST', media, form));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      data: [
        { status: 'active', name: 'a.jpg', label: 'At sea', folder_id, thumbnail: null },
        { status: 'active', name: 'b.mp4', label: 'At sea', folder_id, time: 75, thumbnail: { name: 'b.jpg' } },
      ],
      message: 'The files were stored.',
    });
    expect(api.countStaged()).toBe(0);
  });

  test('reports all invalid fields together and stores nothing', async () => {
    const fields = { label: 'l'.repeat(251), folder_id: 'x' };
    const form = formOf({ 'a.jpg': JPEG, 'b.txt': Buffer.from('text') }, fields);
    const { status, body } = await answerOf(await api.send('POST', media, form));
    expect(status).toBe(422);
    expect(body.errors).toEqual({
      'files.1': ['The files.1 field must be a file of type: jpeg, png, gif, webp, mp4, mov.'],
      label: ['The label field must not be greater than 250 characters.'],
      folder_id: ['The folder id field must be a valid UUID.'],
    });
    expect(body.message).toEndWith(' (and 2 more errors)');
    expect((await answerOf(await api.send('GET', media))).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect(api.countStaged()).toBe(0);
  });

  test('accepts ten files and refuses eleven', async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.jpg`, JPEG]));
    expect((await api.send('POST', media, formOf(files(10)))).status).toBe(201);
    const { status, body } = await answerOf(await api.send('POST', media, formOf(files(11))));
    expect(status).toBe(422);
    expect(body.errors).toEqual({ files: ['The files field must not have more than 10 items.'] });
    expect((await answerOf(await api.send('GET', media))).body).toMatchObject({ meta: { total: 10 } });
  });

  test('is rejected without a file', async () => {
    const { status, body } = await answerOf(await api.send('POST', media, formOf({}, { label: 'x' })));
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { files: ['The files field is required.'] },
    });
  });

  test('returns 415 for the content type text/plain', async () => {
    const response = await api.send('POST', media, { json: {} }, { 'Content-Type': 'text/plain' });
    expect(response.headers.get('Accept')).toBe('multipart/form-data, application/json');
    expect(response.status).toBe(415);
  });

  test('rejects files in any field other than files[]', async () => {
    for (const name of ['photo', '__proto__', 'constructor']) {
      const form = formOf({ 'a.jpg': JPEG });
      form.append(name, new File([new Uint8Array(JPEG)], 'b.jpg'));
      const { status, body } = await answerOf(await api.send('POST', media, form));
      expect(status).toBe(422);
      expect(body.errors).toEqual(
        Object.fromEntries([[name, [`The ${name} field must not be a file; files go into files[].`]]]),
      );
      expect(api.countStaged()).toBe(0);
    }
  });

  test('cannot change prototypes through field names', async () => {
    const form = formOf({ 'a.jpg': JPEG }, { constructor: 'x' });
    form.append('__proto__', 'label');
    expect((await api.send('POST', media, form)).status).toBe(201);
    expect('label' in {}).toBe(false);
  });
});

describe('a fault', () => {
  const inside = new Error('SELECT * FROM secrets');

  test('returns 500 without details and is reported', async () => {
    api = await startApi(({ media }) => ({ media: { ...media, list: () => Promise.reject(inside) } }));
    const path = `/v1/workspaces/${api.workspace.id}/media_contents`;
    expect(await answerOf(await api.send('GET', path))).toEqual({ status: 500, body: { message: 'Server error.' } });
    expect(api.reported).toEqual([inside]);
  });

  test('of the storage returns 503 and is reported', async () => {
    const refusal = new Refusal({ code: 'unavailable', message: 'The storage is full.' }, { cause: inside });
    api = await startApi(({ storage }) => ({
      storage: { ...storage, stage: () => Promise.reject(refusal) },
    }));
    const path = `/v1/workspaces/${api.workspace.id}/media_contents`;
    const response = await api.send('POST', path, formOf({ 'a.jpg': JPEG }));
    expect(response.headers.get('Retry-After')).toBe('5');
    expect(await answerOf(response)).toEqual({ status: 503, body: { message: 'The storage is full.' } });
    expect(api.reported).toHaveLength(1);
  });

  test('after an item was deleted is reported as a warning, and the response is 204', async () => {
    api = await startApi(({ trash }) => ({
      isPublic: true,
      trash: new Proxy(trash, {
        get: (target, key) => (key === 'add' ? () => Promise.reject(inside) : Reflect.get(target, key).bind(target)),
      }),
    }));
    const path = `/v1/workspaces/${api.workspace.id}/media_contents`;
    const { body } = await answerOf(await api.send('POST', path, formOf({ 'a.jpg': JPEG })));
    const [item] = body.data as { id: string }[];
    const response = await api.send('DELETE', `/v1/media_contents/${item?.id}`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(api.reported).toEqual(['An object outlived its media item; gc will remove it.', inside]);
  });
});

describe('tRPC', () => {
  test('returns a refusal with the same status, message and fields as REST', async () => {
    const input = { json: { workspace: api.workspace.id, name: '' } };
    const { status, body } = await answerOf(await api.send('POST', '/trpc/folders.create', input));
    expect(status).toBe(422);
    expect(body).toEqual({
      error: {
        message: 'The name field is required.',
        code: expect.any(Number),
        data: {
          code: 'UNPROCESSABLE_CONTENT',
          path: 'folders.create',
          httpStatus: 422,
          errors: { name: ['The name field is required.'] },
        },
      },
    });
    expect(api.reported).toEqual([]);
  });

  test('returns a fault without details, and reports it', async () => {
    api = await startApi(({ folders }) => ({
      folders: { ...folders, list: () => Promise.reject(new Error('inside')) },
    }));
    const query = encodeURIComponent(JSON.stringify({ workspace: api.workspace.id }));
    const { status, body } = await answerOf(await api.send('GET', `/trpc/folders.list?input=${query}`));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('inside');
    expect(body).toMatchObject({ error: { message: 'Server error.' } });
    expect(api.reported).toHaveLength(1);
  });

  test('ends an import when its caller disconnects, as REST does', async () => {
    const { promise: never } = Promise.withResolvers<void>();
    const chunks = async function* () {
      yield JPEG;
      await never;
    };
    for (const path of [media, '/trpc/media.importUrl']) {
      api.ports.remoteFiles.serve(URL_OF_FILE, { chunks: chunks(), announcedSize: null, ending: 'whole' });
      const caller = new AbortController();
      const json = { workspace: api.workspace.id, url: URL_OF_FILE };
      const answered = api.send('POST', path, { json }, {}, caller.signal);
      while (api.ports.remoteFiles.openFiles() === 0) await new Promise((resolve) => setImmediate(resolve));
      caller.abort();
      expect((await answered).status).toBe(400);
      expect(api.ports.remoteFiles.openFiles()).toBe(0);
    }
    expect((await answerOf(await api.send('GET', media))).body).toMatchObject({ data: [] });
  });

  test('changes the same resources as REST', async () => {
    const input = { json: { workspace: api.workspace.id, name: 'Summer' } };
    const { body } = await answerOf(await api.send('POST', '/trpc/folders.create', input));
    const { id } = (body.result as { data: { data: { id: string } } }).data.data;
    expect((await answerOf(await api.send('GET', `/v1/media_library/folders/${id}`))).body).toEqual({
      data: { id, name: 'Summer', parent_id: null },
    });
  });
});
