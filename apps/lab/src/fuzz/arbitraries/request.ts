import fc from 'fast-check';
import { utf8 } from '../bytes/bytes.ts';
import type { Body } from '../case.ts';
import type { Operation } from '../oracle/document.ts';
import { anyId, weighted } from './text.ts';

export const HOST = 'Host: {{host}}';
export const AUTHORIZATION = 'Authorization: Bearer {{token}}';
/** The origin of the service's own pages. */
export const ORIGIN = 'Origin: http://{{host}}';

/** The placeholder for a path's id, by the first segment of the path. */
const IDS: Readonly<Record<string, string>> = {
  calendars: '{{calendar}}',
  posts: '{{post}}',
  trash: '{{trashed}}',
  uploads: '{{resumable}}',
  webhooks: '{{webhook}}',
  webhook_deliveries: '{{delivery}}',
};

/** Returns the placeholder that stands for an existing id in the given path parameter. */
function idFor(path: string, parameter: string): string {
  if (parameter !== 'id') return `{{${parameter}}}`;
  return IDS[path.split('/')[1] ?? ''] ?? '{{media}}';
}

/**
 * Generates the path of an operation, mostly with existing ids. Paths for DELETE never contain the ids of the
 * workspace's items, because other cases need these items.
 */
export function pathOf({ method, path }: Operation): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids = names.map((name) => {
    if (method === 'DELETE') return fc.constantFrom('{{unknown}}', '{{foreign}}', 'x');
    const odd = anyId.map(escapeSegment);
    return weighted([12, fc.constant(idFor(path, name))], [1, odd]);
  });
  return fc.tuple(...ids).map((values) => {
    let next = 0;
    return `/v1${path.replaceAll(/\{\w+\}/g, () => values[next++] ?? '')}`;
  });
}

/**
 * Percent-encodes a text, unless it is a placeholder. An empty text is replaced, because it would result in a different
 * path. A long text is cut off, because it would make the request's head too long.
 */
const escapeSegment = (text: string): string => {
  if (/^\{\{\w+\}\}$/.test(text)) return text;
  return Buffer.from(text.slice(0, 2000) || 'x', 'latin1').reduce(
    (all, byte) => `${all}%${byte.toString(16).padStart(2, '0')}`,
    '',
  );
};

/** How a body is sent: mostly with its length, otherwise in chunks or with a wrong length. */
export const framing: fc.Arbitrary<Body['framing']> = weighted(
  [40, fc.constant<Body['framing']>('length')],
  [8, fc.constantFrom(1, 7, 100, 65_536).map((chunk) => ({ chunk }))],
  [1, fc.constantFrom(0, 1, 10, 100_000, 1_048_577).map((claimed) => ({ claimed }))],
);

/**
 * Generates a header line with an `Idempotency-Key`, or, mostly, no line. There are only a few different keys, so that
 * several requests use the same key.
 */
export const keyLines: fc.Arbitrary<readonly string[]> = weighted(
  [6, fc.constant<readonly string[]>([])],
  [2, fc.constantFrom('a', 'b', '"c"', 'x'.repeat(255)).map((key) => [`Idempotency-Key: ${key}`])],
  [
    1,
    fc
      .constantFrom('', 'two words', 'x'.repeat(256), '\xff', 'a\r\nIdempotency-Key: b')
      .map((key) => [`Idempotency-Key: ${key}`]),
  ],
);

/** Turns a text into a value of a header, without line ends. */
export const inLine = (text: string): string => utf8(text).replaceAll(/[\0\r\n]/g, ' ');
