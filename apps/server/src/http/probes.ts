import { createHash, timingSafeEqual } from 'node:crypto';
import { errorResponse, type Service } from '@postshelf/api';
import type { Database } from '@postshelf/database';
import { Refusal } from '@postshelf/domain';
import type { Metrics } from '../telemetry/metrics.ts';

/** The process answers. */
export const health = (): Response => Response.json({ status: 'ok' });

/** Database and storage can be worked with, and the server isn't about to stop; 503 `{message}` otherwise. */
export async function readiness(
  service: Service,
  request: Request,
  database: Database,
  isStopping: () => boolean,
): Promise<Response> {
  if (isStopping()) return Response.json({ message: 'The service is stopping.' }, { status: 503 });
  try {
    await Promise.all([database.check(), service.ports.storage.check()]);
    return Response.json({ status: 'ready' });
  } catch (cause) {
    const refusal = new Refusal({ code: 'unavailable', message: 'The service is not ready.' }, { cause });
    return errorResponse(service, request, refusal);
  }
}

/**
 * The figures, in Prometheus' text format.
 *
 * @param token what the request must show as a bearer token; null: nothing
 * @throws Refusal `unauthenticated`
 */
export async function figures(metrics: Metrics, request: Request, token: string | null): Promise<Response> {
  if (token !== null && !isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    throw new Refusal({ code: 'unauthenticated' });
  }
  return new Response(await metrics.render(), { headers: { 'Content-Type': metrics.contentType } });
}

/** In the same time wherever the two differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
