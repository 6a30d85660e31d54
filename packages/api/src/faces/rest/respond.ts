import { renderError } from '../../errors.ts';
import { EVENT_STREAM } from '../../operations/events/stream.ts';

export function errorResponse(error: unknown, onFault: (cause: unknown) => void): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) onFault(error);
  return Response.json(body, { status, headers });
}

/**
 * Removes the body of an answer to HEAD. If its length isn't declared, the body is short, so it is read to measure it.
 * A stream of events has no end, and so no length.
 */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (headers.get('content-type') === EVENT_STREAM) {
    await response.body?.cancel();
  } else if (response.body !== null && !headers.has('content-length')) {
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}
