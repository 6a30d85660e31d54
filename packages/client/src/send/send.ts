import { type Answer, factsOf } from '../answer.ts';
import { aborted, unreachable } from '../error.ts';
import { sendByFetch } from './by-fetch.ts';
import { type Outgoing, platformBody, type Sent, sizeOf } from './outgoing.ts';

/**
 * Sends a request. Pages use XMLHttpRequest, because `fetch` reports no progress there; other environments use `fetch`.
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

/** For pages: sends a request by XMLHttpRequest. @throws PostshelfError `unreachable`, `aborted` */
function sendByXhr({ method, url, headers, body, onProgress, signal }: Outgoing): Promise<Sent> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    signal?.addEventListener('abort', abort, { once: true });
    xhr.onloadend = () => signal?.removeEventListener('abort', abort);
    const header = (name: string) => xhr.getResponseHeader(name);
    xhr.onload = () => resolve({ answer: { status: xhr.status, text: xhr.responseText, ...factsOf(header) }, header });
    xhr.onerror = () => reject(unreachable());
    xhr.onabort = () => signal && reject(aborted(signal));
    if (onProgress) {
      const total = sizeOf(body);
      // The browser's numbers include the form's encoding, so they are scaled to the size of the files.
      xhr.upload.onprogress = ({ loaded, total: all }) =>
        onProgress({ loaded: all === 0 ? 0 : Math.round((loaded / all) * total), total });
    }
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.send(platformBody(body));
  });
}
