import { failedForGood, failedForNow } from './failures.ts';

/** One request and its answer, on a connection of their own. */
export interface HttpResponse {
  readonly status: number;
  /** Values have one character for each byte. */
  readonly headers: Readonly<
    Partial<Record<'content-encoding' | 'content-length' | 'location' | 'transfer-encoding', string | undefined>>
  >;
  /** Each chunk is good until the next one is asked for. Throws when it breaks off. */
  readonly body: AsyncIterator<Uint8Array, undefined>;
  /** Ends the connection. A repeat does nothing. */
  close(): void;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Successes without a file, or with a part of one that nobody asked for. */
const WITHOUT_FILE = new Set([204, 205, 206]);
/** Time-outs and overload: the others of their hundred are about the request, which will be the same again. */
const PASSING = new Set([408, 425, 429]);

export const isRedirect = ({ status }: HttpResponse): boolean => REDIRECTS.has(status);

/**
 * Whether the answer carries the file, as it is.
 *
 * @param host as messages name it
 * @returns its announced size in bytes; null when it says none
 * @throws RemoteError `failed` when it is an error, or the bytes are compressed
 */
export function announcedSizeOf({ status, headers }: HttpResponse, host: string): number | null {
  if (status < 200 || status > 299 || WITHOUT_FILE.has(status)) {
    const message = `The server at ${host} answered ${status}.`;
    throw status >= 500 || PASSING.has(status) ? failedForNow(message) : failedForGood(message);
  }
  if (!holdsOnly(headers['content-encoding'], ['identity']) || !holdsOnly(headers['transfer-encoding'], ['chunked'])) {
    throw failedForGood(`The server at ${host} sends the file compressed.`);
  }
  // The parser took digits only, once, and none beside a chunked body (RFC 9112 section 6.3).
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

/** Whether a header's list has no member but those known; so it is with no header. */
const holdsOnly = (header: string | undefined, known: readonly string[]): boolean =>
  (header ?? '').split(',').every((member) => ['', ...known].includes(member.trim().toLowerCase()));
