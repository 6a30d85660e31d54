import { NDJSON } from '../../body/ndjson.ts';
import { renderError } from '../../errors.ts';
import { EVENT_STREAM } from '../../operations/events/stream.ts';

/** Media types of answers that have no end, or whose length isn't limited. */
const STREAMS: readonly string[] = [EVENT_STREAM, ...NDJSON];

export function errorResponse(error: unknown, onFault: (cause: unknown) => void): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) onFault(error);
  return Response.json(body, { status, headers });
}

/**
 * Removes the body of an answer to HEAD. If the length isn't declared, the body is read to measure it, unless it is a
 * stream. All other bodies are short.
 */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (STREAMS.includes(headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    // Otherwise Bun would send a length of 0, which isn't the length of the answer to GET (RFC 9110 section 8.6).
    headers.set('Transfer-Encoding', 'chunked');
  } else if (response.body !== null && !headers.has('content-length')) {
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}
