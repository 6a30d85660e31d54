import { type Entry, Random } from '@postshelf/harness';
import type { SlowClient } from '@postshelf/harness/slow-client';
import { textAt } from '../../support/json.ts';
import type { Finding, Target } from './attack.ts';

/** Milliseconds that an attacker waits when it was refused: to flood this machine is not the point. */
const PAUSE = 100;

/** The same where it has hundreds of connections: about as long as it is told to stay away, and not all of them at once. */
const LONG_PAUSE = { least: 5_000, most: 15_000 };

const authorization = ({ token }: Entry) => ({ Authorization: `Bearer ${token}` });

/** Sends a body of JSON, as an attacker who prepares something. @throws Error unless it is taken */
export async function prepareBy(target: Target, attacker: Entry, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${target.root}/v1/workspaces/${attacker.workspace}${path}`, {
    method: 'POST',
    headers: { ...authorization(attacker), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

export const makeProfile = async (target: Target, attacker: Entry): Promise<string> =>
  textAt(await prepareBy(target, attacker, '/profiles', { name: 'Attacker', network: 'any' }), 'data', 'id');

/** A body of lines to import. */
export const ndjson = (attacker: Entry, body: string | ReadableStream<Uint8Array>): RequestInit => ({
  method: 'POST',
  headers: { ...authorization(attacker), 'Content-Type': 'application/x-ndjson' },
  body,
});

/** Where lines are imported to. */
export const importPath = ({ root }: Target, { workspace }: Entry): string =>
  `${root}/v1/workspaces/${workspace}/posts/import`;

/** One `GET` with a batch of calls of a procedure of tRPC. */
export function batch({ root }: Target, attacker: Entry, procedure: string, inputs: readonly object[]) {
  const input = encodeURIComponent(JSON.stringify({ ...inputs }));
  const url = `${root}/trpc/${inputs.map(() => procedure).join(',')}?batch=1&input=${input}`;
  return { url, init: { headers: authorization(attacker) } };
}

/** A `GET` of JSON. */
export const read = ({ root }: Target, attacker: Entry, path: string) => ({
  url: `${root}/v1${path}`,
  init: { headers: authorization(attacker) },
});

/** How an attacker's requests were answered. */
class Answers {
  readonly #statuses = new Map<number, number>();
  #bytes = 0;

  note(status: number, bytes: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#bytes += bytes;
  }

  get findings(): readonly Finding[] {
    const statuses = [...this.#statuses].map(([status, times]) => `${status || 'none'} × ${times}`);
    const value = `${statuses.join(', ') || 'none yet'}; ${Math.round(this.#bytes / 1e6)} MB`;
    return [{ what: 'answers', value, isKept: null }];
  }
}

/** Sends so many requests at once, each again and again, and reads the answers. */
export async function flood(
  lanes: number,
  signal: AbortSignal,
  request: (lane: number) => { readonly url: string; readonly init: RequestInit },
): Promise<readonly Finding[]> {
  const answers = new Answers();
  const lane = async (nth: number): Promise<void> => {
    while (!signal.aborted) {
      const { url, init } = request(nth);
      const { status, bytes } = await drain(url, { ...init, signal });
      if (!signal.aborted) answers.note(status, bytes);
      if (status !== 200 && !signal.aborted) await Bun.sleep(PAUSE);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, nth) => lane(nth)));
  return answers.findings;
}

/** Reads the whole answer, and keeps none of it; status 0 where it was cut off. */
async function drain(url: string, init: RequestInit): Promise<{ readonly status: number; readonly bytes: number }> {
  let bytes = 0;
  try {
    const response = await fetch(url, { ...init, keepalive: false } as RequestInit);
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return { status: response.status, bytes };
  } catch {
    // The service hung up, or the attack is over: either is an outcome.
    return { status: 0, bytes };
  }
}

/** A request to be sent by hand, with a body or only the length of one. */
export function rawRequest(
  attacker: Entry,
  path: string,
  { type, length, body = '' }: { readonly type: string; readonly length?: number; readonly body?: string | Uint8Array },
): Buffer {
  const content = Buffer.from(body);
  const head = [
    `POST /v1/workspaces/${attacker.workspace}${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${attacker.token}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length ?? content.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

/** Keeps clients connected: whoever is answered or hung up on is followed by another, until it is over. */
export async function keepOpen(
  count: number,
  signal: AbortSignal,
  open: (nth: number) => Promise<SlowClient>,
): Promise<readonly Finding[]> {
  const [answers, random] = [new Answers(), new Random(count)];
  const lane = async (nth: number): Promise<void> => {
    while (!signal.aborted) {
      const client = await open(nth).catch(() => null);
      while (client && !client.isOver && !signal.aborted) await Bun.sleep(PAUSE);
      if (!signal.aborted) answers.note(client?.status ?? 0, client?.received ?? 0);
      client?.[Symbol.dispose]();
      await Promise.race([over(signal), Bun.sleep(random.whole(LONG_PAUSE.least, LONG_PAUSE.most))]);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, nth) => lane(nth)));
  return answers.findings;
}

/** Resolves when it aborts. */
export const over = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
