import document from '../../../../docs/openapi.json' with { type: 'json' };

/** The OpenAPI document as it is committed: generated from the router, and part of a compiled program. */
export const documentText = (): string => `${JSON.stringify(document, null, 2)}\n`;

/**
 * `GET /v1/openapi.json`. The address of the API in it is a path, so it holds for whatever host the document was had
 * from; it takes the one thing from `publicUrl` that a client can't know, the path of a proxy.
 */
export function createDocumentRoute(publicUrl: string): () => Promise<Response> {
  const servers = [{ url: `${new URL(publicUrl).pathname.replace(/\/$/, '')}/v1` }];
  const body = JSON.stringify({ ...document, servers });
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' };
  return async () => new Response(body, { headers });
}
