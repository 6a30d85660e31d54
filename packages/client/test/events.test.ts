import { afterEach, expect, test } from 'bun:test';
import { thrownBy } from '@postshelf/testing/outcomes';
import { createPostshelfClient, type PostshelfEvent } from '../src/index.ts';

type Answer = (request: Request, connection: number) => Response | Promise<Response>;

let server: Bun.Server<undefined> | undefined;

afterEach(() => server?.stop(true));

/** Starts a server that answers each connection with `answer`, and returns a client for it. */
function clientOf(answer: Answer) {
  const requests: { readonly url: string; readonly headers: Headers }[] = [];
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // The headers are copied, because Bun drops the request's headers after the response.
    fetch: (request) => answer(request, requests.push({ url: request.url, headers: new Headers(request.headers) })),
  });
  return { requests, client: createPostshelfClient({ baseUrl: server.url, token: 'secret' }) };
}

const message = (id: string, data: object) => `id: ${id}\nevent: media.updated\ndata: ${JSON.stringify(data)}\n\n`;

const streamOf = (text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { headers: { 'Content-Type': 'text/event-stream', ...headers } });

const silent = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(': \n\n') }), {
    headers: { 'Content-Type': 'text/event-stream' },
  });

async function take(events: AsyncIterable<PostshelfEvent>, count: number): Promise<PostshelfEvent[]> {
  const taken: PostshelfEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

test('events continue after the last received one whenever a connection is lost', async () => {
  const { client, requests } = clientOf((_, connection) =>
    streamOf(`${message(`id${connection}`, { type: 'media.updated', workspace: 'w' })}id: cut\ndata: {"ty`),
  );
  const taken = await take(client.events('w', { types: ['media.updated', 'media.deleted'] }), 3);
  expect(taken.map((event) => event.id)).toEqual(['id1', 'id2', 'id3']);
  expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 'id1', 'id2']);
  expect(new URL(requests[0]?.url ?? '').pathname).toBe('/v1/workspaces/w/events');
  expect(new URL(requests[0]?.url ?? '').searchParams.get('types')).toBe('media.updated,media.deleted');
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret');
});

test('a connection lost before its first event is resumed from the id in its response header', async () => {
  const { client, requests } = clientOf((_, connection) =>
    connection === 1 ? streamOf(': \n\n', { 'Last-Event-ID': 'begin' }) : streamOf(message('one', { type: 'x' })),
  );
  await take(client.events('w'), 1);
  expect(requests[1]?.headers.get('last-event-id')).toBe('begin');
});

test('each opened and each lost connection is reported', async () => {
  const { client } = clientOf((_, connection) =>
    connection === 2
      ? Response.json({ message: 'Busy.' }, { status: 503 })
      : streamOf(message(`id${connection}`, { type: 'x' }), { 'Last-Event-ID': `begin${connection}` }),
  );
  const reports: string[] = [];
  const onOpen = (id: string | null) => reports.push(`open ${id}`);
  await take(client.events('w', { onOpen, onLost: () => reports.push('lost') }), 2);
  expect(reports).toEqual(['open begin1', 'lost', 'lost', 'open begin3']);
});

test('a request is repeated while the service is busy, and a refusal ends the iteration', async () => {
  const { client } = clientOf((_, connection) =>
    connection < 3
      ? Response.json({ message: 'Busy.' }, { status: 503 })
      : Response.json({ message: 'Not found.' }, { status: 404 }),
  );
  expect(await thrownBy(take(client.events('w'), 1))).toMatchObject({ code: 'refused', status: 404 });
});

test('a response that is not an event stream is rejected as unreadable', async () => {
  const { client } = clientOf(() => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }));
  expect(await thrownBy(take(client.events('w'), 1))).toMatchObject({ code: 'unreadable' });
});

test('a reset is reported, and the next connection resumes from the id of the reset', async () => {
  const { client, requests } = clientOf(() => streamOf('id: newest\nevent: reset\ndata: {}\n\n'));
  expect(await take(client.events('w', { lastEventId: 'old' }), 2)).toEqual([
    { type: 'reset', id: 'newest' },
    { type: 'reset', id: 'newest' },
  ]);
  expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual(['old', 'newest']);
});

test('aborting the signal ends a silent stream, and leaving the loop closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const { client } = clientOf((request, connection) => {
    if (connection === 1) return silent();
    request.signal.addEventListener('abort', () => closed.resolve());
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(message('one', { type: 'x' })) }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    );
  });
  const controller = new AbortController();
  const waiting = take(client.events('w', { signal: controller.signal }), 1);
  setTimeout(() => controller.abort(), 50);
  expect(await thrownBy(waiting)).toMatchObject({ code: 'aborted' });
  await take(client.events('w'), 1);
  await closed.promise;
});
