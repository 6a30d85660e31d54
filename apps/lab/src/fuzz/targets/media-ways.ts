import { startStopwatch } from '@postshelf/harness';
import { serve } from '@postshelf/harness/answers';
import { type Bytes, makeBytes } from '../bytes/bytes.ts';
import type { MediaCase, RequestCase } from '../case.ts';
import type { World } from '../service/world.ts';

/** The final status of an item. */
export interface Settled {
  readonly status: string;
  readonly complaint: string | null;
}

type Ask = (request: RequestCase) => Promise<unknown>;

const BOUNDARY = 'postshelf-fuzz-7MA4YWxkTrZu0gW';
const AUTHORIZATION = 'Authorization: Bearer {{token}}';
const HOST = 'Host: {{host}}';

/** Milliseconds within which an import must end: enough for three attempts, and for a cover, which may take 15 s. */
const SETTLING = 60_000;

/** Stores a case's file in the given way, and waits for the final status. */
export async function settle(world: World, given: MediaCase, ask: Ask): Promise<Settled> {
  if (given.way === 'multipart') return settled(await ask(multipart(given.file)));
  return given.way === 'presigned' ? presigned(given, ask) : byUrl(world, given, ask);
}

const multipart = (file: Bytes): RequestCase => ({
  kind: 'request',
  operation: 'POST /workspaces/{workspace}/media_contents',
  method: 'POST',
  target: '/v1/workspaces/{{workspace}}/media_contents',
  lines: [HOST, AUTHORIZATION, `Content-Type: multipart/form-data; boundary=${BOUNDARY}`],
  body: {
    bytes: [
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="file"\r\n\r\n`,
      file,
      `\r\n--${BOUNDARY}--\r\n`,
    ],
    framing: 'length',
  },
});

async function presigned({ file, type }: MediaCase, ask: Ask): Promise<Settled> {
  const size = makeBytes(file).length;
  // The service issues no presigned address for an empty file.
  if (size === 0) return { status: 'empty', complaint: null };
  const home = '/workspaces/{workspace}/media_contents';
  const ticket = firstOf(await ask(json('POST', `${home}/presign`, { files: [{ name: 'file', size, mime: type }] })));
  const url = URL.parse(String(ticket?.upload_url));
  if (!url) return { status: 'not issued', complaint: null };
  const lines = [HOST, `Content-Type: ${type}`];
  await ask({
    kind: 'request',
    method: 'PUT',
    target: url.pathname + url.search,
    lines,
    body: { bytes: file, framing: 'length' },
  });
  const confirmed = await ask(json('POST', '/media_contents/{id}/confirm', {}, String(ticket?.id)));
  return settled(confirmed);
}

async function byUrl(world: World, { file }: MediaCase, ask: Ask): Promise<Settled> {
  const page = world.origin.page('file.bin', serve(makeBytes(file)));
  try {
    const begun = await ask(json('POST', '/workspaces/{workspace}/media_contents', { url: page.url }));
    const item = firstOf(begun);
    if (item?.status !== 'processing') return settled(begun);
    using stopwatch = startStopwatch();
    while (stopwatch.elapsed() < SETTLING) {
      const now = await world.client.must<{ readonly data: Item }>('GET', `/v1/media_contents/${item.id}`);
      if (now.data.status !== 'processing') return settled(now);
      await Bun.sleep(10);
    }
    return { status: 'processing', complaint: 'An import never ended.' };
  } finally {
    world.origin.withdraw(page);
  }
}

function json(method: string, path: string, body: object, id = ''): RequestCase {
  return {
    kind: 'request',
    operation: `${method} ${path}`,
    method,
    target: `/v1${path.replace('{workspace}', '{{workspace}}').replace('{id}', id)}`,
    lines: [HOST, AUTHORIZATION, 'Content-Type: application/json'],
    body: { bytes: JSON.stringify(body), framing: 'length' },
  };
}

interface Item {
  readonly id?: unknown;
  readonly status?: unknown;
  readonly upload_url?: unknown;
  readonly error_message?: unknown;
  readonly thumbnail?: unknown;
}

/** Returns the item in an answer, or the first item if the answer is a list. */
function firstOf(answer: unknown): Item | null {
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return null;
  const item: unknown = Array.isArray(answer.data) ? answer.data[0] : answer.data;
  return typeof item === 'object' ? item : null;
}

function settled(answer: unknown): Settled {
  const item = firstOf(answer);
  if (item === null) return { status: 'refused', complaint: null };
  const cover = item.thumbnail === null ? '' : ' covered';
  const status = `${item.status}${cover} ${item.error_message ?? ''}`.trim();
  const isEnd = item.status === 'active' || item.status === 'failed';
  return { status, complaint: isEnd ? null : `An item ended as ${item.status}.` };
}
