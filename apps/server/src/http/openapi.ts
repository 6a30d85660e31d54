import { type RequestFacts, taggedResponse } from '@postshelf/api';
import { once } from '../once.ts';

const readDocument = async () => (await import('../../../../docs/openapi.json', { with: { type: 'json' } })).default;

export const documentText = async (): Promise<string> => `${JSON.stringify(await readDocument(), null, 2)}\n`;

/**
 * Serves `GET /v1/openapi.json`. In the document, the API's URL has no host. It consists of the path of `publicUrl`,
 * which is the path that a proxy adds, and `/v1`.
 */
export function createDocumentRoute(publicUrl: string): (facts: Pick<RequestFacts, 'request'>) => Promise<Response> {
  const servers = [{ url: `${new URL(publicUrl).pathname.replace(/\/$/, '')}/v1` }];
  const body = once(async () => JSON.stringify({ ...(await readDocument()), servers }));
  return async ({ request }) => taggedResponse(request, await body());
}
