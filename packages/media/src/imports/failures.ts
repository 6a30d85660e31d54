import { RemoteError } from '@postshelf/domain';

/** Returns an error for a URL that isn't allowed. Retrying won't help. */
export const refused = (message: string): RemoteError => new RemoteError({ kind: 'refused', message });

/** Returns an error for a server that didn't deliver the file. Retrying may help. */
export const failedForNow = (message: string, cause?: unknown): RemoteError =>
  new RemoteError({ kind: 'failed', message, mayRecover: true }, { cause });

/** Returns an error for a server that didn't deliver the file and never will. */
export const failedForGood = (message: string, cause?: unknown): RemoteError =>
  new RemoteError({ kind: 'failed', message, mayRecover: false }, { cause });

/** Returns an error that is the same for every internal address, whether or not something listens there. */
export const notPublic = (host: string): RemoteError => refused(`The host ${host} is not publicly reachable.`);

export const notFound = (host: string, cause?: unknown): RemoteError =>
  failedForNow(`The host ${host} was not found.`, cause);

export const noAnswer = (host: string): RemoteError => failedForNow(`The server at ${host} did not answer in time.`);

export const stalled = (host: string): RemoteError => failedForNow(`The server at ${host} stopped sending.`);

export const tooSlow = (host: string): RemoteError => failedForNow(`The server at ${host} sent too slowly.`);

export const tookTooLong = (host: string): RemoteError => failedForNow(`The download from ${host} took too long.`);

export const cutOff = (host: string, cause: unknown): RemoteError =>
  failedForNow(`The server at ${host} cut off the download.`, cause);

/** Advice to the owner of a server that compresses a file. */
const SEND_AS_IT_IS = 'Let it send the file as it is, without Content-Encoding.';

export const compressedWithZstd = (host: string): RemoteError =>
  failedForGood(`The server at ${host} sends the file compressed with zstd. ${SEND_AS_IT_IS}`);

export const compressedTwice = (host: string): RemoteError =>
  failedForGood(`The server at ${host} sends the file compressed more than once. ${SEND_AS_IT_IS}`);

export const notDecompressed = (host: string, coding: string, cause: unknown): RemoteError => {
  const message = `The server at ${host} says that the file is compressed with ${coding}, but it cannot be decompressed.`;
  return failedForGood(`${message} ${SEND_AS_IT_IS}`, cause);
};

export const cutOffCompressed = (host: string, cause: unknown): RemoteError =>
  failedForNow(`The server at ${host} sent only a part of the compressed file.`, cause);

export const compressedTransfer = (host: string): RemoteError =>
  failedForGood(`The server at ${host} sends the file compressed. Let it use only chunked as the Transfer-Encoding.`);

export const tooManyHints = (host: string): RemoteError =>
  failedForGood(`The server at ${host} sent too many interim responses.`);

export const tooSmallChunks = (host: string): RemoteError =>
  failedForGood(`The server at ${host} sends the file in chunks that are too small.`);

const UNREACHABLE = new Set(['EADDRNOTAVAIL', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'ETIMEDOUT']);

/** Matches the codes of OpenSSL and of Node (node:tls, "X509 errors") for a certificate that isn't trusted. */
const CERTIFICATE = /CERT|SELF_SIGNED|^UNABLE_TO_|^CRL_|^INVALID_(?:CA|PURPOSE)|^PATH_LENGTH|^HOSTNAME_MISMATCH/;

// Whether a code means that TLS failed for a reason other than the server's certificate. Such a code may still contain
// `CERTIFICATE`, for example in an alert about a client's certificate.
const isWithoutSecurity = (code: string): boolean => code.startsWith('ERR_SSL_') || code === 'EPROTO';

/** Whether a connection failed because it couldn't be secured. */
export const isSecurityFailure = ({ cause }: RemoteError): boolean =>
  isWithoutSecurity(codeOf(cause)) || CERTIFICATE.test(codeOf(cause));

/**
 * Returns an error whose message is safe to show. The original error, whose text contains addresses, is only kept as
 * the cause.
 */
export function connectionFailed(host: string, cause: unknown): RemoteError {
  if (cause instanceof RemoteError) return cause;
  const code = codeOf(cause);
  if (code === 'ECONNREFUSED') return failedForNow(`The server at ${host} refused the connection.`, cause);
  if (UNREACHABLE.has(code)) return failedForNow(`The server at ${host} could not be reached.`, cause);
  if (code.startsWith('HPE_')) return failedForNow(`The server at ${host} did not answer in valid HTTP.`, cause);
  if (isWithoutSecurity(code)) return failedForNow(`A secure connection to ${host} could not be made.`, cause);
  if (CERTIFICATE.test(code)) return failedForGood(`The certificate of ${host} could not be verified.`, cause);
  return failedForNow(`The connection to ${host} was closed without an answer.`, cause);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
