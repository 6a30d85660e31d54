import { turns } from '@postshelf/application';
import { Refusal } from '@postshelf/domain';
import { GatheredBytes } from './gathered-bytes.ts';
import { CostlyJson, InvalidJson, parseJson, requireCheap } from './json-text.ts';
import { type BodySource, type ReadOptions, readBody } from './stream.ts';

/** Maximum bytes of a JSON body, many times what any operation needs. Larger bodies are refused with 413. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** Milliseconds in which a whole JSON body must arrive. For the largest body this means 35 KB per second. */
const DEADLINE = 30_000;

/** A body that is parsed as a whole is in memory twice: as text and as values. */
const COPIES = 2;

/** Bytes up to which a body counts as small: parsing it takes much less than a millisecond. */
const SMALL = 4 * 1024;

const NO_JSON = 'The request body is not valid JSON.';
const tooLarge = (limit: number): Refusal => {
  const size = limit < MAX_JSON_BYTES ? `${limit / 1024} KB` : '1 MB';
  return new Refusal({ code: 'too_large', message: `The request body must not be larger than ${size}.` });
};

/** Returns the media type in the Content-Type header, without parameters (RFC 9110 section 8.3.1). */
export const mediaTypeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJson = (request: Request): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(mediaTypeOf(request));

export interface Limited extends Pick<ReadOptions, 'caller'> {
  readonly limit?: number;
}

/**
 * Reads a JSON object. Returns `{}` if there is no body, so that missing fields are reported.
 *
 * @throws Refusal `unsupported_media_type`, `unsupported_encoding`, `too_large`, `malformed`, `too_slow`, `busy`
 */
export async function readJsonBody(
  source: BodySource,
  options: Limited = {},
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readLimited(source, options);
  if (bytes.length === 0) return {};
  if (!isJson(source.request)) {
    throw new Refusal({ code: 'unsupported_media_type', accepted: ['application/json'] });
  }
  // A large body is parsed in a separate turn of the event loop, as in `requireCheapBody`.
  if (bytes.length > SMALL) await turns.next();
  return parseObject(bytes);
}

/** Reads a body up to a limit. @throws Refusal `too_large`, `malformed`, `too_slow`, `busy` */
export async function readLimited(
  source: BodySource,
  { caller, limit = MAX_JSON_BYTES }: Limited = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (announcedBy(source.request) > limit) throw tooLarge(limit);
  holdBody(source, limit, COPIES);
  const body = new GatheredBytes(limit);
  for await (const chunk of readBody(source, { ...(caller && { caller }), deadline: DEADLINE, lent: true })) {
    body.add(chunk);
    if (body.length > limit) throw tooLarge(limit);
  }
  return body.bytes;
}

/** Returns the length that the header declares; 0 if there is no body, or a chunked one. */
const announcedBy = ({ headers }: Request): number => Number(headers.get('content-length') ?? 0);

/**
 * Reserves memory for a body, or for the part of it that is in memory at a time.
 *
 * @param max maximum bytes of the body; all of them are reserved for a chunked body
 * @param copies the number of copies that are in memory at the same time
 * @throws Refusal `busy`
 */
export function holdBody(source: Pick<BodySource, 'request' | 'hold'>, max: number, copies = 1): void {
  const bytes = announcedBy(source.request) || (source.request.body ? max : 0);
  source.hold(copies * Math.min(bytes, max));
}

const parseBody = (bytes: Uint8Array): unknown => refuseInvalidJson(() => parseJson(bytes));

/**
 * Checks a body that other code will parse. A large body is checked in a separate turn of the event loop.
 *
 * @throws Refusal `malformed` if parsing would take long
 */
export async function requireCheapBody(bytes: Uint8Array): Promise<void> {
  if (bytes.length > SMALL) await turns.next();
  refuseInvalidJson(() => requireCheap(bytes));
}

function refuseInvalidJson<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof InvalidJson)) throw cause;
    const message = cause instanceof CostlyJson ? `The request body must be ${cause.message}.` : NO_JSON;
    throw new Refusal({ code: 'malformed', message }, { cause });
  }
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseBody(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal({ code: 'malformed', message: 'The request body must be a JSON object.' });
  }
  return value as Record<string, unknown>;
}
