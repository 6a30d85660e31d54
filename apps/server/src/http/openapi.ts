import { type Facts, taggedResponse } from '@postshelf/api';

/** Included in the compiled program; loaded at the first request, which is rare. */
const readDocument = async () => (await import('../../../../docs/openapi.json', { with: { type: 'json' } })).default;

/** The committed OpenAPI document, which is generated from the router. */
export const documentText = async (): Promise<string> => `${JSON.stringify(await readDocument(), null, 2)}\n`;

/**
 * `GET /v1/openapi.json`. The API's address in it is a path, so it is valid for every host name; it includes the path
 * of `publicUrl`, which a proxy may add and a client can't know.
 */
export function createDocumentRoute(publicUrl: string): (facts: Pick<Facts, 'request'>) => Promise<Response> {
  const servers = [{ url: `${new URL(publicUrl).pathname.replace(/\/$/, '')}/v1` }];
  let body: Promise<string> | undefined;
  return async ({ request }) => {
    body ??= readDocument().then((document) => JSON.stringify({ ...document, servers }));
    return taggedResponse(request, await body);
  };
}
