/** Part of the compiled program; read when it is first requested, which is rare. */
const readDocument = async () => (await import('../../../../docs/openapi.json', { with: { type: 'json' } })).default;

/** The OpenAPI document as it is committed: generated from the router. */
export const documentText = async (): Promise<string> => `${JSON.stringify(await readDocument(), null, 2)}\n`;

/**
 * `GET /v1/openapi.json`. The address of the API in it is a path, so it holds for every host; it includes the path of a
 * proxy, which a client can't know, from `publicUrl`.
 */
export function createDocumentRoute(publicUrl: string): () => Promise<Response> {
  const servers = [{ url: `${new URL(publicUrl).pathname.replace(/\/$/, '')}/v1` }];
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' };
  let body: Promise<string> | undefined;
  return async () => {
    body ??= readDocument().then((document) => JSON.stringify({ ...document, servers }));
    return new Response(await body, { headers });
  };
}
