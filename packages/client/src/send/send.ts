import type { Answer } from '../answer.ts';
import { sendByFetch } from './by-fetch.ts';
import { sendByXhr } from './by-xhr.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * In pages by XMLHttpRequest, as only that reports progress, elsewhere by `fetch`.
 *
 * @throws PostshelfError `unreachable`, `aborted`
 */
export function send(request: Outgoing): Promise<Answer> {
  return typeof XMLHttpRequest === 'function' ? sendByXhr(request) : sendByFetch(request);
}
