import { afterAll, describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { createApi, type Door } from '../../src/index.ts';
import { routesOf } from '../../src/rest/routes.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterAll(databases.closeAll);

/** What a door heard, in order; it refuses every token where told so. */
function listen(refuses = false) {
  const heard: string[] = [];
  const door: Door = {
    enter: (_, route) => void heard.push(`enter ${route}`),
    async admit() {
      heard.push('admit');
      if (refuses) throw new Refusal({ code: 'too_many_requests', message: 'Too many requests.', retryAfter: 7 });
    },
    async takePlace() {
      heard.push('take');
      return () => void heard.push('leave');
    },
  };
  return { heard, door };
}

async function openApi(refuses = false) {
  const api = await startApi();
  const { heard, door } = listen(refuses);
  const app = createApi({ ...api.service, door });
  const Authorization = `Bearer ${await api.tokenWith({})}`;
  const send = (method: string, path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`http://127.0.0.1${path}`, { ...init, method, headers: { Authorization, ...init.headers } }));
  return { ...api, heard, send };
}

const { service } = await startApi();
const operations = [...routesOf(service)]
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, methods]) => [...methods.keys()].map((method) => [method, path] as const));

describe('the door', () => {
  test.each(operations)('hears of %s %s: its route, then who asks, once', async (method, path) => {
    const { heard, send } = await openApi(true);
    const response = await send(method, path.replace(/:\w+/g, 'x'));
    expect(heard).toEqual([`enter ${path.replace(/:(\w+)/g, '{$1}')}`, 'admit']);
    expect(response.status).toBe(429);
    expect(response.headers.get('Retry-After')).toBe('7');
    if (method !== 'HEAD') expect(await response.json()).toEqual({ message: 'Too many requests.' });
  });

  test('hears of each call of a batch', async () => {
    const { heard, send, workspace } = await openApi();
    const input = encodeURIComponent(
      JSON.stringify({ 0: { workspace: workspace.id }, 1: { workspace: workspace.id } }),
    );
    await send('GET', `/trpc/folders.list,media.list?batch=1&input=${input}`);
    expect(heard).toEqual(['enter /trpc/*', 'admit', 'admit']);
  });

  test('gives a place to an upload, and gets it back however it ends', async () => {
    const { heard, send, workspace } = await openApi();
    const form = new FormData();
    form.append('files[]', new File(['no picture'], 'beach.jpg'));
    const path = `/v1/workspaces/${workspace.id}/media_contents`;
    expect((await send('POST', path, { body: form })).status).toBe(422);
    const broken = { body: 'broken', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } };
    expect((await send('POST', path, broken)).status).toBe(400);
    const enter = 'enter /v1/workspaces/{workspace}/media_contents';
    expect(heard).toEqual([enter, 'admit', 'take', 'leave', enter, 'admit', 'take', 'leave']);
  });

  test('hears nothing of a request that is on no route, and of a wrong method only the route', async () => {
    const { heard, send } = await openApi();
    expect((await send('GET', '/v1/nowhere')).status).toBe(404);
    expect((await send('DELETE', '/trpc/x')).status).toBe(405);
    expect(heard).toEqual(['enter /trpc/*']);
  });
});

test('a stranger’s body over tRPC is not read', async () => {
  const { send } = await openApi();
  const body = new ReadableStream({
    pull: () => Promise.reject(new Error('The body was read.')),
  });
  const headers = { Authorization: 'Bearer no.good.token', 'Content-Type': 'application/json' };
  const response = await send('POST', '/trpc/folders.create', { body, headers });
  expect(response.status).toBe(401);
});
