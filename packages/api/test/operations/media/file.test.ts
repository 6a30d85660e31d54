import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fakeFile } from '@postshelf/testing/fakes';
import { databases } from '../../support/databases.ts';
import { PUBLIC_URL, startApi, type TestApi } from '../../support/service.ts';

afterEach(databases.closeAll);

const JPEG = fakeFile({ type: 'image/jpeg', width: 40, height: 30, time: null }, 100);

let api: TestApi;
let path: string;

beforeEach(async () => {
  api = await startApi();
  const form = new FormData();
  form.append('files[]', new File([new Uint8Array(JPEG)], "caf\u00e9 'no'.jpg"));
  const response = await api.send('POST', `/v1/workspaces/${api.workspace.id}/media_contents`, form);
  const { data } = (await response.json()) as { data: { link: string }[] };
  path = data[0]?.link.slice(PUBLIC_URL.length) ?? '';
});

const get = (at: string, headers: Readonly<Record<string, string>> = {}) =>
  api.send('GET', at, undefined, { Authorization: '', ...headers });

describe('a linked file', () => {
  test('needs no token and has headers for caching and against sniffing and scripts', async () => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(JPEG.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox allow-same-origin",
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
    expect(Buffer.compare(await response.bytes(), JPEG)).toBe(0);
  });

  test('is found however its name is percent-encoded, but not with an encoded separator', async () => {
    const [, files, workspace, id, name = ''] = path.split('/');
    const plain = decodeURIComponent(name);
    const everyByte = Array.from(Buffer.from(plain), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    for (const spelling of [name, name.toLowerCase(), encodeURIComponent(plain), everyByte]) {
      expect((await get(`/${files}/${workspace}/${id}/${spelling}`)).status).toBe(200);
    }
    for (const hidden of [`${workspace}%2f${id}%2f${name}`, `${workspace}/${id}%2F${name}`, `${workspace}/${id}/%`]) {
      const response = await get(`/${files}/${hidden}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ message: 'Not found.' });
    }
  });

  test('returns 304 if If-None-Match contains its ETag', async () => {
    const etag = (await get(path)).headers.get('ETag') ?? '';
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get(path, { 'If-None-Match': condition });
      expect(response.status).toBe(304);
      expect(response.headers.get('ETag')).toBe(etag);
      expect(await response.text()).toBe('');
    }
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
    expect((await get(path, { 'If-None-Match': etag, 'Cache-Control': 'no-cache' })).status).toBe(304);
  });

  test('returns 206 for a Range unless If-Range has another ETag', async () => {
    const etag = (await get(path)).headers.get('ETag') ?? '';
    for (const headers of [{ Range: 'bytes=5-9' }, { Range: 'bytes=5-9', 'If-Range': etag }]) {
      const response = await get(path, headers);
      expect(response.status).toBe(206);
      expect(response.headers.get('Content-Range')).toBe(`bytes 5-9/${JPEG.length}`);
      expect(response.headers.get('Content-Length')).toBe('5');
      expect(Buffer.compare(await response.bytes(), JPEG.subarray(5, 10))).toBe(0);
    }
    expect((await get(path, { Range: 'bytes=5-9', 'If-Range': '"other"' })).status).toBe(200);
    expect((await get(path, { Range: 'bytes=5-9', 'If-None-Match': etag })).status).toBe(304);
  });

  test('returns its whole length to a HEAD request with a Range', async () => {
    const response = await api.send('HEAD', path, undefined, { Range: 'bytes=5-9' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Length')).toBe(String(JPEG.length));
    expect(response.headers.has('Content-Range')).toBe(false);
  });

  test('returns 416 for a Range beyond its end', async () => {
    const response = await get(path, { Range: `bytes=${JPEG.length}-` });
    expect(response.status).toBe(416);
    expect(response.headers.get('Content-Range')).toBe(`bytes */${JPEG.length}`);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.json()).toEqual({ message: 'The requested range is not satisfiable.' });
  });
});
