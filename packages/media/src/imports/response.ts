import { failedForGood, failedForNow } from './failures.ts';

export interface HttpResponse {
  readonly status: number;
  /** Values have one character per byte. */
  readonly headers: Readonly<
    Partial<
      Record<
        'content-encoding' | 'content-length' | 'content-range' | 'content-type' | 'location' | 'transfer-encoding',
        string | undefined
      >
    >
  >;
  /** Each chunk is valid until the next one is requested. Throws if the body breaks off. */
  readonly body: AsyncIterator<Uint8Array, undefined>;
  /** Ends the connection. Calling it again does nothing. */
  close(): void;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Successes without a file, or with a part of one although none was requested. */
const WITHOUT_FILE = new Set([204, 205, 206]);
/** Time-outs and overload. The other 4xx are about the request, which would be the same again. */
const PASSING = new Set([408, 425, 429]);

export const isRedirect = ({ status }: HttpResponse): boolean => REDIRECTS.has(status);

/**
 * Checks that the response contains the file, uncompressed.
 *
 * @returns the announced bytes; null if there are none
 * @throws RemoteError `failed` if the response is an error, or compressed
 */
export function announcedSizeOf({ status, headers }: HttpResponse, host: string): number | null {
  if (status < 200 || status > 299 || WITHOUT_FILE.has(status)) {
    const message = `The server at ${host} answered ${status}.`;
    throw status >= 500 || PASSING.has(status) ? failedForNow(message) : failedForGood(message);
  }
  if (!holdsOnly(headers['content-encoding'], ['identity']) || !holdsOnly(headers['transfer-encoding'], ['chunked'])) {
    throw failedForGood(`The server at ${host} sends the file compressed.`);
  }
  // The parser has checked it (RFC 9112 section 6.3).
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

/** Whether all members of a header's list are known; true without the header. */
const holdsOnly = (header: string | undefined, known: readonly string[]): boolean =>
  (header ?? '').split(',').every((member) => ['', ...known].includes(member.trim().toLowerCase()));
