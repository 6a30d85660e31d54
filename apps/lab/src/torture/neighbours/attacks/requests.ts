import { type Entry, Random } from '@postshelf/harness';
import type { SlowClient } from '@postshelf/harness/slow-client';
import { textAt } from '../../support/json.ts';
import type { AttackTarget, Finding } from './attack.ts';

/**
 * Milliseconds that an attacker waits after a refusal. Without this pause, the attack would mostly flood the network.
 */
const PAUSE = 100;

/**
 * Milliseconds that an attacker with hundreds of connections waits before it replaces a closed one. The wait is about
 * as long as the service's `Retry-After`, but random, so that the connections aren't all opened at the same time.
 */
const LONG_PAUSE = { min: 5_000, max: 15_000 };

export const authorization = ({ token }: Entry) => ({ Authorization: `Bearer ${token}` });

/**
 * Posts JSON to prepare an attack.
 *
 * @throws Error unless the request succeeds
 */
export async function prepareBy(target: AttackTarget, attacker: Entry, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${target.root}/v1/workspaces/${attacker.workspace}${path}`, {
    method: 'POST',
    headers: { ...authorization(attacker), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

export const makeProfile = async (target: AttackTarget, attacker: Entry): Promise<string> =>
  textAt(await prepareBy(target, attacker, '/profiles', { name: 'Attacker', network: 'any' }), 'data', 'id');

/** Returns a request that imports lines. */
export const ndjson = (attacker: Entry, body: string | ReadableStream<Uint8Array>): RequestInit => ({
  method: 'POST',
  headers: { ...authorization(attacker), 'Content-Type': 'application/x-ndjson' },
  body,
});

/** Returns the address that imports posts. */
export const importPath = ({ root }: AttackTarget, { workspace }: Entry): string =>
  `${root}/v1/workspaces/${workspace}/posts/import`;

/** Returns one `GET` with a batch of tRPC calls. */
export function batch({ root }: AttackTarget, attacker: Entry, procedure: string, inputs: readonly object[]) {
  const input = encodeURIComponent(JSON.stringify({ ...inputs }));
  const url = `${root}/trpc/${inputs.map(() => procedure).join(',')}?batch=1&input=${input}`;
  return { url, init: { headers: authorization(attacker) } };
}

/** Returns a `GET` that is answered in JSON. */
export const read = ({ root }: AttackTarget, attacker: Entry, path: string) => ({
  url: `${root}/v1${path}`,
  init: { headers: authorization(attacker) },
});

/** Counts an attacker's answers by status. */
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

/** Keeps this many concurrent requests running, and reads their answers. */
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

/** Reads the whole answer without storing it; returns status 0 if it was cut off. */
async function drain(url: string, init: RequestInit): Promise<{ readonly status: number; readonly bytes: number }> {
  let bytes = 0;
  try {
    const response = await fetch(url, { ...init, keepalive: false } as RequestInit);
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return { status: response.status, bytes };
  } catch {
    // The service closed the connection, or the attack is over.
    return { status: 0, bytes };
  }
}

/** Returns the bytes of a request. If `length` is given, it is declared as the length of the body. */
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

/** Keeps this many clients connected until the signal aborts. A client that is answered or cut off is replaced. */
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
      await Promise.race([over(signal), Bun.sleep(random.whole(LONG_PAUSE.min, LONG_PAUSE.max))]);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, nth) => lane(nth)));
  return answers.findings;
}

/** Resolves when the signal aborts. */
export const over = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
