import { errorResponse, type Service } from '@postshelf/api';
import type { Database } from '@postshelf/database';
import { Refusal } from '@postshelf/domain';

/** Milliseconds within which `/ready` answers: less than a load balancer commonly waits. */
const READY_TIME = 3_000;

/** The process answers. */
export const health = (): Response => Response.json({ status: 'ok' });

/**
 * `/ready`: database and storage can be worked with; 503 `{message}` otherwise, also when they haven't said so within
 * {@link READY_TIME}. The storage of a folder is written to, and whoever likes may ask: so everybody who asks while a
 * check is under way hears of that one, however long it takes.
 */
export function readiness(service: Service, database: Database): (request: Request) => Promise<Response> {
  let running: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    try {
      await Promise.all([database.check(), service.ports.storage.check()]);
    } finally {
      running = null;
    }
  };
  return async (request) => {
    running ??= check();
    try {
      await withinTime(running);
      return Response.json({ status: 'ready' });
    } catch (cause) {
      const refusal = new Refusal({ code: 'unavailable', message: 'The service is not ready.' }, { cause });
      return errorResponse(service, request, refusal);
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
