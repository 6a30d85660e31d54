import { describe, expect, test } from 'bun:test';
import { MAX_EVENT_STREAMS } from '@postshelf/domain';
import { startApi, type TestApi } from '../support/service.ts';

const subscription = (id: string): string =>
  `/trpc/events.subscribe?input=${encodeURIComponent(JSON.stringify({ workspace: id }))}`;

/**
 * Opens streams until one is refused, and then closes all of them.
 *
 * @returns how many streams could be opened, and the response that refused the next one
 */
async function countFree({ send, workspace }: TestApi) {
  const open: Response[] = [];
  for (;;) {
    const response = await send('GET', `/v1/workspaces/${workspace.id}/events`);
    if (response.status !== 200 || open.length > MAX_EVENT_STREAMS.token) {
      await Promise.all(open.map(({ body }) => body?.cancel()));
      return { count: open.length, refused: response };
    }
    open.push(response);
  }
}

describe('an event stream', () => {
  test('counts towards the limit of its token, beyond which 503 is returned', async () => {
    const api = await startApi();
    const { count, refused } = await countFree(api);
    expect(count).toBe(MAX_EVENT_STREAMS.token);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toEqual({ message: 'Too many event streams are open for this token.' });
    expect(api.reported).toEqual([]);
  });

  test.each([
    ['cancelled before it was read', 'GET', (id: string) => `/v1/workspaces/${id}/events`],
    ['requested by HEAD', 'HEAD', (id: string) => `/v1/workspaces/${id}/events`],
    ['a subscription that was cancelled before it was read', 'GET', subscription],
    ['a subscription that was requested by HEAD', 'HEAD', subscription],
  ])('no longer counts towards the limit if it was %s', async (_, method, path) => {
    const api = await startApi();
    for (let times = 0; times < 5; times += 1) {
      const response = await api.send(method, path(api.workspace.id));
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
    expect((await countFree(api)).count).toBe(MAX_EVENT_STREAMS.token);
  });

  test.each([
    ['REST', (id: string) => `/v1/workspaces/${id}/events`],
    ['tRPC', subscription],
  ])('over %s no longer counts towards the limit once its client has disconnected', async (_, path) => {
    const api = await startApi();
    const client = new AbortController();
    const response = await api.send('GET', path(api.workspace.id), undefined, {}, client.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    const rest = reader?.read().catch(() => undefined);
    client.abort();
    await Promise.race([rest, Bun.sleep(1000)]);
    expect((await countFree(api)).count).toBe(MAX_EVENT_STREAMS.token);
  });

  test('ends and reports the error when the events to resume from cannot be read', async () => {
    const fault = new Error('The page is unreadable.');
    const api = await startApi(({ events }) => ({
      events: {
        ...events,
        find: async () => 0,
        newest: async () => 7,
        listOf: () => Promise.reject(fault),
      },
    }));
    const response = await api.send(
      'GET',
      `/v1/workspaces/${api.workspace.id}/events?last_event_id=${api.workspace.id}`,
    );
    expect(await response.text()).toBe(`:\nid: ${api.workspace.id}\n\n`);
    expect(api.reported).toEqual([fault]);
  });
});
