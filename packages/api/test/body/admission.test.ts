import { afterAll, describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addProfile } from '@postshelf/testing/contracts/posts/samples';
import { fakeFile } from '@postshelf/testing/fakes';
import { until } from '@postshelf/testing/waiting';
import { createApi, type RateState } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterAll(databases.closeAll);

const LIFETIME = 3_600_000;

/** The beginning of a form with the boundary `b`, up to the content of its file. */
const PART = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="one.png"\r\n\r\n';
const PNG = fakeFile({ type: 'image/png', width: 10, height: 10, time: null }, 1000);

/**
 * Starts the API and a request whose body the test sends piece by piece. Also returns functions that revoke the
 * request's token, let it expire, or exceed its rate limit in the meantime.
 */
async function open(path: (workspace: Uuid) => string, contentType: string) {
  const api = await startApi();
  const { ports, workspace } = api;
  const profile = await addProfile(ports, workspace.id);
  let isExceeded = false;
  const rateOf = async (): Promise<RateState> => ({ limit: 5, remaining: 0, reset: 7, isExceeded });
  const limits = { ...api.service.limits, rateOf };
  const app = createApi({ ...api.service, limits });
  const before = new Set((await ports.tokens.list()).map(({ id }) => id));
  const token = await api.tokenWith({ lifetime: LIFETIME });
  const id = (await ports.tokens.list()).find((one) => !before.has(one.id))?.id as Uuid;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // The stream is cancelled once the server has refused the body.
  writer.closed.catch(() => undefined);
  const answer = Promise.resolve(
    app.fetch(
      new Request(`http://127.0.0.1${path(workspace.id)}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': contentType },
        body: readable,
      }),
    ),
  );
  return {
    ...api,
    profile,
    answer,
    send: (...pieces: readonly (string | Uint8Array)[]) =>
      void writer.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)))).catch(() => undefined),
    end: () => void writer.close().catch(() => undefined),
    count: async () => (await ports.posts.list(workspace.id, {}, { offset: 0, limit: 1 })).total,
    revoke: () => ports.tokens.revoke(id, ports.clock.now()),
    expire: async () => ports.clock.advance(LIFETIME),
    exceed: async () => {
      isExceeded = true;
    },
  };
}

const REFUSALS = [
  ['revoked', 'revoke', 401, 'Unauthenticated.'],
  ['expired', 'expire', 401, 'Unauthenticated.'],
  ['over its rate limit', 'exceed', 429, 'Too many requests.'],
] as const;

describe.each(REFUSALS)('a request whose token is %s while its body streams', (_, happen, status, message) => {
  test('stores no lines that arrive afterwards', async () => {
    const streamed = await open((id) => `/v1/workspaces/${id}/posts/import`, 'application/x-ndjson');
    const { profile, answer, send, count } = streamed;
    const lines = (from: number): string =>
      Array.from({ length: 250 }, (_, nth) => {
        const post = { profile: profile.id, published_at: '2026-01-01T00:00:00Z', external_id: String(from + nth) };
        return `${JSON.stringify(post)}\n`;
      }).join('');
    send(lines(0));
    await until('the first batch is stored', async () => (await count()) === 250);
    await streamed[happen]();
    send(lines(250));
    const response = await answer;
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message });
    if (status === 429) expect(response.headers.get('retry-after')).toBe('7');
    expect(await count()).toBe(250);
  });

  test('is refused even if the client sends nothing more', async () => {
    const streamed = await open((id) => `/v1/workspaces/${id}/posts/import`, 'application/x-ndjson');
    streamed.send('{');
    await streamed[happen]();
    expect((await streamed.answer).status).toBe(status);
  });

  test('discards the files staged so far', async () => {
    const type = 'multipart/form-data; boundary=b';
    const streamed = await open((id) => `/v1/workspaces/${id}/media_contents`, type);
    const { answer, send, countStaged, ports, workspace } = streamed;
    send(PART, PNG, '\r\n', PART, PNG.subarray(0, 5));
    await until('the first file is staged', () => countStaged() > 0);
    await streamed[happen]();
    const response = await answer;
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message });
    expect(countStaged()).toBe(0);
    expect((await ports.media.list(workspace.id, {}, { offset: 0, limit: 1 })).total).toBe(0);
  });

  test('stores no file, even if one was received completely', async () => {
    const type = 'multipart/form-data; boundary=b';
    const streamed = await open((id) => `/v1/workspaces/${id}/media_contents`, type);
    const { answer, send, end, countStaged } = streamed;
    send(PART, PNG, '\r\n--b\r\nContent-Disposition: form-data; name="label"\r\n\r\nOne');
    await until('the file is staged', () => countStaged() > 0);
    await streamed[happen]();
    send('\r\n--b--\r\n');
    end();
    expect((await answer).status).toBe(status);
    expect(countStaged()).toBe(0);
  });

  test('changes nothing when its slow body is completed afterwards', async () => {
    const streamed = await open((id) => `/v1/workspaces/${id}/media_library/folders`, 'application/json');
    const { answer, send, end, ports, workspace } = streamed;
    send('{"name":');
    await streamed[happen]();
    await Bun.sleep(1_100);
    send('"New"}');
    end();
    expect((await answer).status).toBe(status);
    expect((await ports.folders.list(workspace.id, {}, { offset: 0, limit: 1 })).total).toBe(0);
  });
});
