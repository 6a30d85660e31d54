import { type Coding, codingOf } from './content-coding.ts';
import { compressedTransfer, failedForGood, failedForNow } from './failures.ts';

export interface HttpResponse {
  readonly status: number;
  /** The headers. Their values have one character per byte. */
  readonly headers: Readonly<
    Partial<
      Record<
        | 'content-encoding'
        | 'content-length'
        | 'content-range'
        | 'content-type'
        | 'location'
        | 'retry-after'
        | 'transfer-encoding',
        string | undefined
      >
    >
  >;
  /** The body, which throws if it breaks off. Each chunk is valid until the next one is requested. */
  readonly body: AsyncIterator<Uint8Array, undefined>;
  /** Ends the connection. Calling it again does nothing. */
  close(): void;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Successful statuses of responses without a file, or with a part of the file although no part was requested. */
const WITHOUT_FILE = new Set([204, 205, 206]);
/**
 * Temporary 4xx statuses: time-outs and overload. Any other 4xx status concerns the request, so a retry would get it
 * again.
 */
const PASSING = new Set([408, 425, 429]);

export const isRedirect = ({ status }: HttpResponse): boolean => REDIRECTS.has(status);

export interface AnnouncedFile {
  /** The size of the file in bytes; null if no length is declared, or if the declared length is the compressed one. */
  readonly size: number | null;
  /** The compression of the body; null if the body is the file itself. */
  readonly coding: Coding | null;
}

/**
 * Checks that the response contains the file, in a form that can be read.
 *
 * @throws RemoteError `failed` if the response is an error, or is compressed in an unsupported way
 */
export function announcedFile({ status, headers }: HttpResponse, host: string): AnnouncedFile {
  if (status < 200 || status > 299 || WITHOUT_FILE.has(status)) {
    const message = `The server at ${host} answered ${status}.`;
    throw status >= 500 || PASSING.has(status) ? failedForNow(message) : failedForGood(message);
  }
  const transfers = (headers['transfer-encoding'] ?? '').split(',').map((member) => member.trim().toLowerCase());
  if (!transfers.every((member) => member === '' || member === 'chunked')) throw compressedTransfer(host);
  const coding = codingOf(headers['content-encoding'], host);
  // The parser has already checked this header (RFC 9112 section 6.3).
  const length = headers['content-length'];
  return { size: length === undefined || coding !== null ? null : Number(length), coding };
}
