import { errorResponse, type Service } from '@postshelf/api';
import type { Database } from '@postshelf/database';
import { Refusal } from '@postshelf/domain';

/** The process answers. */
export const health = (): Response => Response.json({ status: 'ok' });

/** Database and storage can be worked with; 503 `{message}` otherwise. */
export async function readiness(service: Service, request: Request, database: Database): Promise<Response> {
  try {
    await Promise.all([database.check(), service.ports.storage.check()]);
    return Response.json({ status: 'ready' });
  } catch (cause) {
    const refusal = new Refusal({ code: 'unavailable', message: 'The service is not ready.' }, { cause });
    return errorResponse(service, request, refusal);
  }
}
