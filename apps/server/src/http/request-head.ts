import http from 'node:http';
import { Refusal } from '@postshelf/domain';

/** Bytes of a request's address and headers. A token has some hundred. Above: 431. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Bytes above which Bun itself refuses a head, with 431 and without a body, before our code is called. So high that a
 * client gets our reason for a refusal (docs/decisions/022-what-bun-answers.md).
 */
const MAX_PARSED_BYTES = 4 * MAX_HEAD_BYTES;

/** Bytes around a header in a request: colon, space, CR and LF. */
const AROUND_HEADER = 4;

const HEAD_TOO_LARGE = `The address and the headers of the request must not be larger than ${MAX_HEAD_BYTES / 1024} KB.`;
const WRONG_HOST = 'The Host header is not valid.';

/** Makes Bun pass on heads that {@link requireHead} refuses, for every server that the process starts later. */
export function parseLargeHeads(): void {
  // Bun lets it be set; the types are Node's, where it is read-only.
  Object.assign(http, { maxHeaderSize: MAX_PARSED_BYTES });
}

/**
 * Checks what every request has before its body.
 *
 * @throws Refusal `malformed` for a Host header that isn't valid, or several of them (RFC 9112 section 3.2);
 *   `head_too_large`
 */
export function requireHead({ url, headers }: Request): void {
  // An invalid Host header makes an address that can't be parsed. Several headers are joined, while the address has the
  // first.
  if (!URL.canParse(url) || /[\s,]/.test(headers.get('host') ?? '')) {
    throw new Refusal({ code: 'malformed', message: WRONG_HOST });
  }
  let size = url.length;
  // Several times faster than entry by entry, and it runs for every request.
  const all = headers.toJSON();
  for (const name in all) size += name.length + (all[name]?.length ?? 0) + AROUND_HEADER;
  if (size > MAX_HEAD_BYTES) throw new Refusal({ code: 'head_too_large', message: HEAD_TOO_LARGE });
}
