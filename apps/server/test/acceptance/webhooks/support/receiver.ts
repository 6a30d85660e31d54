import { expect } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { arrayAt, at, stringAt } from '../../support/reply.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/** Settings under which deliveries can reach this machine, and failed ones are retried soon. */
export const reachable = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32', WEBHOOK_RETRY_DELAYS: '50,100,150' };

export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Answer = (request: Received, attempt: number) => Response | Promise<Response>;

/** An address of a {@link Receiver}. */
export interface Hook {
  readonly url: string;
  readonly requests: Received[];
  answer: Answer;
}

export const ok: Answer = () => new Response(null, { status: 204 });

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response('Something that must not be kept.', { status: code, headers });

/** Gives the answers in turn, and repeats the last one. */
export const inTurn =
  (...answers: readonly [Answer, ...Answer[]]): Answer =>
  (request, attempt) =>
    (answers[attempt - 1] ?? answers.at(-1) ?? ok)(request, attempt);

/** A user's program to which webhooks are sent. */
export class Receiver {
  readonly #hooks = new Map<string, Hook>();
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    fetch: async (request) => {
      const hook = this.#hooks.get(new URL(request.url).pathname);
      if (!hook) return new Response(null, { status: 404 });
      const headers = Object.fromEntries(request.headers) as Record<string, string>;
      const received = { id: headers['webhook-id'] ?? '', headers, body: await request.text() };
      return hook.answer(received, hook.requests.push(received));
    },
  });

  hook(answer: Answer = ok): Hook {
    const path = `/${this.#hooks.size + 1}`;
    const hook = { url: `http://127.0.0.1:${this.#server.port}${path}`, requests: [], answer };
    this.#hooks.set(path, hook);
    return hook;
  }

  close(): void {
    void this.#server.stop(true);
  }
}

export interface Created {
  readonly id: string;
  readonly secret: string;
}

/** Makes a webhook in `{workspace}`. */
export async function createWebhook(
  world: World,
  hook: Hook,
  types: readonly string[] | null = null,
): Promise<Created> {
  const reply = await world.call('POST /workspaces/{workspace}/webhooks', { json: { url: hook.url, types } });
  expect({ status: reply.status, text: reply.text }).toEqual({ status: 201, text: reply.text });
  return { id: stringAt(reply.json, 'data', 'id'), secret: stringAt(reply.json, 'data', 'secret') };
}

/**
 * Returns the event in a request. The library of the Standard Webhooks specification verifies the request's signature.
 *
 * @throws Error if the signature is invalid
 */
export const verified = (secret: string, { headers, body }: Received): unknown =>
  new Webhook(secret).verify(body, headers);

/** Waits until a hook has received that many requests. @returns the last of them */
export async function arrived(hook: Hook, count = 1, deadline = 20_000): Promise<Received> {
  await until(`${count} requests have arrived`, async () => hook.requests.length >= count, deadline);
  const last = hook.requests[count - 1];
  if (!last) throw new Error('There is no such request.');
  return last;
}

/** Waits until the newest delivery of a webhook is no longer pending, and returns it. */
export async function settledDelivery(world: World, id: string, deadline = 20_000): Promise<unknown> {
  let newest: unknown;
  await until(
    'the delivery has ended',
    async () => {
      const { json } = await world.call(`GET /webhooks/${id}/deliveries`);
      [newest] = arrayAt(json, 'data');
      return newest !== undefined && at(newest, 'status') !== 'pending';
    },
    deadline,
  );
  return newest;
}
