import http from 'node:http';
import { Refusal } from '@postshelf/domain';

/** Most bytes of a request's address and headers. A token has a few hundred. Above: 431. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Bytes above which Bun itself refuses a head, with 431 and without a body, before our code is called. High enough that
 * clients get our error message (docs/decisions/022-what-bun-answers.md).
 */
const MAX_PARSED_BYTES = 4 * MAX_HEAD_BYTES;

/** Bytes around a header in a request: colon, space, CR and LF. */
const AROUND_HEADER = 4;

const HEAD_TOO_LARGE = `The address and the headers of the request must not be larger than ${MAX_HEAD_BYTES / 1024} KB.`;
const WRONG_HOST = 'The Host header is not valid.';

/**
 * Makes Bun pass on heads that {@link requireHead} is to refuse. Applies to servers that are started later in this
 * process.
 */
export function parseLargeHeads(): void {
  // Writable in Bun; the types are Node's, in which it is read-only.
  Object.assign(http, { maxHeaderSize: MAX_PARSED_BYTES });
}

/**
 * Checks the head of a request.
 *
 * @throws Refusal `malformed` for an invalid Host header, or several of them (RFC 9112 section 3.2); `head_too_large`
 */
export function requireHead({ url, headers }: Request): void {
  // With an invalid Host header the request's URL can't be parsed. Several headers are joined, while the URL has the
  // first.
  if (!URL.canParse(url) || /[\s,]/.test(headers.get('host') ?? '')) {
    throw new Refusal({ code: 'malformed', message: WRONG_HOST });
  }
  let size = url.length;
  // Several times faster than iterating over entries, and it runs for every request.
  const all = headers.toJSON();
  for (const name in all) size += name.length + (all[name]?.length ?? 0) + AROUND_HEADER;
  if (size > MAX_HEAD_BYTES) throw new Refusal({ code: 'head_too_large', message: HEAD_TOO_LARGE });
}
