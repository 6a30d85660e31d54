import { Refusal } from '@postshelf/domain';
import { CostlyJson, InvalidJson, parseJson, requireCheap } from './json-text.ts';
import { type BodySource, readBody } from './stream.ts';

/** Most bytes of a JSON body, many times what any operation needs. Above: 413. */
export const MAX_JSON_BYTES = 1024 * 1024;

const NO_JSON = 'The request body is not valid JSON.';
const tooLarge = (limit: number): Refusal => {
  const size = limit < MAX_JSON_BYTES ? `${limit / 1024} KB` : '1 MB';
  return new Refusal({ code: 'too_large', message: `The request body must not be larger than ${size}.` });
};

/** The media type of a Content-Type header, without parameters (RFC 9110 section 8.3.1). */
export const mediaTypeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJson = (request: Request): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(mediaTypeOf(request));

/**
 * A JSON object from the body; `{}` if there is no body at all, so that missing fields are reported one by one.
 *
 * @param limit in bytes
 * @throws Refusal `unsupported_media_type`, `too_large`, `malformed`, `too_slow`
 */
export async function readJsonBody(
  source: BodySource,
  limit = MAX_JSON_BYTES,
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readLimited(source, limit);
  if (bytes.length === 0) return {};
  if (!isJson(source.request)) {
    throw new Refusal({ code: 'unsupported_media_type', accepted: ['application/json'] });
  }
  return parseObject(bytes);
}

/** The whole body. @param limit in bytes @throws Refusal `too_large`, `malformed`, `too_slow` */
export async function readLimited(source: BodySource, limit = MAX_JSON_BYTES): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(source.request.headers.get('content-length') ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readBody(source)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const parseBody = (bytes: Uint8Array): unknown => refuseInvalidJson(() => parseJson(bytes));

/** Checks a body that other code will parse. @throws Refusal `malformed` if that would take long */
export const requireCheapBody = (bytes: Uint8Array): void => refuseInvalidJson(() => requireCheap(bytes));

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
