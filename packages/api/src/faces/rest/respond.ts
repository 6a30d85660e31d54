import { renderError } from '../../errors.ts';

export function errorResponse(error: unknown, onFault: (cause: unknown) => void): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) onFault(error);
  return Response.json(body, { status, headers });
}

/** If the length isn't stated the body is short, and is measured. */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (response.body !== null && !headers.has('content-length')) {
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}
