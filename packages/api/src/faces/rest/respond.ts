import { renderError } from '../../errors.ts';

/** A failure as a response. @param onFault called for internal errors */
export function errorResponse(error: unknown, onFault: (cause: unknown) => void): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) onFault(error);
  return Response.json(body, { status, headers });
}

/** An answer without its body. If its length isn't stated the body is short, and is measured. */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (response.body !== null && !headers.has('content-length')) {
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}
