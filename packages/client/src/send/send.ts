import type { Answer } from '../answer.ts';
import { sendByFetch } from './by-fetch.ts';
import { sendByXhr } from './by-xhr.ts';
import type { Outgoing, Sent } from './outgoing.ts';

/**
 * Sends a request: in pages by XMLHttpRequest, because only that reports progress, elsewhere by `fetch`.
 *
 * @throws PostshelfError `unreachable`, `aborted`
 */
export async function send(request: Outgoing): Promise<Answer> {
  return (await sendWithHeaders(request)).answer;
}

/** Sends a request like {@link send}, and also returns the response's other headers. */
export function sendWithHeaders(request: Outgoing): Promise<Sent> {
  return typeof XMLHttpRequest === 'function' ? sendByXhr(request) : sendByFetch(request);
}
