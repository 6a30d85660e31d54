import { createHash, timingSafeEqual } from 'node:crypto';
import { errorResponse, type FaultReporting, type Service } from '@postshelf/api';
import type { Database } from '@postshelf/database';
import { notFound, Refusal } from '@postshelf/domain';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Visit } from './visits.ts';

/** Milliseconds within which `/ready` answers: less than a load balancer commonly waits. */
const READY_TIME = 3_000;

/** What `/ready` looks at, and where its failures are told. */
export interface Probed extends FaultReporting {
  readonly ports: Pick<Service['ports'], 'storage'>;
  readonly database: Pick<Database, 'check' | 'checkWrites'>;
}

/** The process answers. */
export const health = (): Response => Response.json({ status: 'ok' });

/**
 * `/ready`: database and storage can be worked with and written to, and the server isn't about to stop; 503 `{message}` otherwise, also
 * when they haven't said so within {@link READY_TIME}. The storage of a folder is written to, and whoever likes may ask: so everybody who asks while a
 * check is under way hears of that one, however long it takes.
 */
export function readiness(probed: Probed, isStopping: () => boolean): (request: Request) => Promise<Response> {
  const { ports, database } = probed;
  let running: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    try {
      await Promise.all([database.check(), database.checkWrites(), ports.storage.check()]);
    } finally {
      running = null;
    }
  };
  return async (request) => {
    if (isStopping()) return Response.json({ message: 'The service is stopping.' }, { status: 503 });
    running ??= check();
    try {
      await withinTime(running);
      return Response.json({ status: 'ready' });
    } catch (cause) {
      const refusal = new Refusal({ code: 'unavailable', message: 'The service is not ready.' }, { cause });
      return errorResponse(probed, request, refusal);
    }
  };
}

/** Settles as the work does; rejects when that takes too long, and leaves the work to itself. */
async function withinTime(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${READY_TIME} ms.`)), READY_TIME);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The figures, in Prometheus' text format.
 *
 * @param token what the request must show as a bearer token; null: it has to come from this machine
 * @param visit both the connection and, where a proxy says so, the client have to; undefined is nobody
 * @throws Refusal `unauthenticated`; `not_found` for strangers where there is no token, who needn't know of figures
 */
export async function figures(
  metrics: Metrics,
  request: Request,
  token: string | null,
  visit: Pick<Visit, 'address' | 'peer'> | undefined,
): Promise<Response> {
  if (token === null) {
    if (!isLoopback(visit?.address) || !isLoopback(visit?.peer())) throw notFound();
  } else if (!isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    throw new Refusal({ code: 'unauthenticated' });
  }
  return new Response(await metrics.render(), { headers: { 'Content-Type': metrics.contentType } });
}

/** RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3; an IPv4 address may come as IPv6. */
const isLoopback = (address: string | null | undefined): boolean =>
  address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address ?? '');

/** In the same time wherever the two differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
