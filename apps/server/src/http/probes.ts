import { createHash, timingSafeEqual } from 'node:crypto';
import { type RequestContext, withTimeout } from '@postshelf/api';
import type { Ports } from '@postshelf/application';
import type { Database } from '@postshelf/database';
import { notFound, Refusal } from '@postshelf/domain';
import type { Metrics } from '../telemetry/metrics.ts';

/** Milliseconds within which `/ready` answers: less than usual timeouts of load balancers. */
const READY_TIME = 3_000;

/** What `/ready` checks. */
export interface Probed {
  readonly ports: Pick<Ports, 'storage'>;
  readonly database: Pick<Database, 'check' | 'checkWrites'>;
}

/** `/health`: the process answers. */
export const health = (): Response => Response.json({ status: 'ok' });

/**
 * `/ready`: database and storage work and can be written to, and the server isn't about to stop; otherwise 503
 * `{message}`, also without a result within {@link READY_TIME}. The check writes to a folder, and any client may
 * request it, so all requests during a check share its result, however long it takes.
 */
export function readiness(probed: Probed, isStopping: () => boolean): () => Promise<Response> {
  const { ports, database } = probed;
  let running: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    try {
      await Promise.all([database.check(), database.checkWrites(), ports.storage.check()]);
    } finally {
      running = null;
    }
  };
  const late = (): Error => new Error(`No answer within ${READY_TIME} ms.`);
  return async () => {
    if (isStopping()) return Response.json({ message: 'The service is stopping.' }, { status: 503 });
    running ??= check();
    try {
      await withTimeout(running, READY_TIME, late);
    } catch (cause) {
      throw new Refusal({ code: 'unavailable', message: 'The service is not ready.' }, { cause });
    }
    return Response.json({ status: 'ready' });
  };
}

/**
 * `/metrics`: the figures in Prometheus' text format.
 *
 * @param token the required bearer token; null: the request has to come from this machine; if a proxy forwards it, also
 *   that proxy's client
 * @throws Refusal `unauthenticated`; `not_found` for other machines if no token is set
 */
export async function figures(
  metrics: Metrics,
  { request, address, peer }: Pick<RequestContext, 'request' | 'address' | 'peer'>,
  token: string | null,
): Promise<Response> {
  if (token === null) {
    if (!isLoopback(address) || !isLoopback(peer)) throw notFound();
  } else if (!isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    throw new Refusal({ code: 'unauthenticated' });
  }
  return new Response(await metrics.render(), { headers: { 'Content-Type': metrics.contentType } });
}

/** RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3; an IPv4 address may be written as IPv6. */
const isLoopback = (address: string | null): boolean =>
  address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address ?? '');

/** Compares in constant time. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
