import fc from 'fast-check';
import { AUTHORIZATION, HOST, pathOf } from '../arbitraries/request.ts';
import { anyId, nastyText, weighted, words } from '../arbitraries/text.ts';
import { utf8 } from '../bytes/bytes.ts';
import type { RequestCase } from '../case.ts';
import { at, type Operation, operations, resolve } from '../oracle/document.ts';
import type { Target } from './target.ts';

const NUMBERS = [
  '0',
  '1',
  '2',
  '100',
  '101',
  '-1',
  '1e3',
  '1.0',
  '+1',
  ' 1',
  '0x10',
  '9007199254740993',
  '9'.repeat(400),
];
const DATES = ['2026-11-21', '2026-11-21 18:30:00', '2026-11-21T18:30:00+01:00', '1970-01-01', '9999-12-31T23:59:59Z'];
const HASHES = ['0'.repeat(64), 'aF'.repeat(32), 'g'.repeat(64), '0'.repeat(63), '0'.repeat(65)];
const ODD_DATES = words('0000-01-01 2026-02-30 2026-11-21T24:00:00Z +010000-01-01 2026-11-21T18:30:00+23:59 1');

function valueFor(schema: Operation['query'][number]['schema'], name: string): fc.Arbitrary<string> {
  const resolved = resolve(schema);
  const values = at(resolved, 'enum');
  if (Array.isArray(values)) return fc.constantFrom(...values.map(String));
  if (at(resolved, 'type') === 'integer') return fc.constantFrom(...NUMBERS);
  if (name === 'from' || name === 'to') return fc.constantFrom(...DATES, ...ODD_DATES);
  if (name === 'sha256') return fc.constantFrom(...HASHES);
  return name === 'search' || name === 'tag' ? nastyText : anyId;
}

/**
 * Escapes a text in one of four ways: fully, as a form does, not at all, or wrongly. Placeholders of ids aren't
 * changed.
 */
function written(text: string, how: string): string {
  if (/^\{\{\w+\}\}$/.test(text)) return text;
  if (how === 'raw') return text.replaceAll(/[^!"$-~]/g, '_');
  if (how === 'wrong') return `${encode(text)}%`;
  return how === 'form' ? encode(text).replaceAll('%20', '+') : encode(text);
}

const encode = (text: string): string =>
  [...Buffer.from(text, 'latin1')]
    .map((byte) =>
      /\w/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

const how = fc.constantFrom('whole', 'whole', 'whole', 'form', 'raw', 'wrong');

const ODD = [...words('= && __proto__=1 page[]=1 page[x]=1 ? page %=1 from=&to='), '', `${utf8('pagé')}=1`];

function queryOf({ query }: Operation): fc.Arbitrary<string> {
  const known = query.map(({ name, schema }) =>
    fc
      .tuple(weighted([4, valueFor(schema, name)], [1, nastyText]), how)
      .map(([value, escaping]) => `${name}=${written(value, escaping)}`),
  );
  const odd = fc.oneof(
    fc.constantFrom(...ODD).map((text) => text.replaceAll(/[\x80-\xff]/g, '_')),
    fc.tuple(nastyText, nastyText).map((pair) => pair.map(encode).join('=')),
  );
  const pairs = known.length > 0 ? weighted([8, fc.oneof(...known)], [1, odd]) : odd;
  return fc.array(pairs, { maxLength: 6 }).map((parts) => parts.join('&'));
}

const read = operations.filter(({ method }) => method === 'GET');

/** The query of every operation that only reads. */
export const query: Target = {
  about: 'queries of every operation that reads: numbers, dates, ids, searches, escapes',
  cases: fc.constantFrom(...read, ...read.filter((operation) => operation.query.length > 2)).chain((operation) =>
    fc.tuple(pathOf(operation), queryOf(operation)).map(
      ([path, text]): RequestCase => ({
        kind: 'request',
        operation: operation.name,
        method: 'GET',
        target: `${path}?${text}`,
        lines: [HOST, AUTHORIZATION],
        // The HTTP layer refuses a request head of more than 16 KB. A query this long may exceed that together with the
        // path and the headers.
        ...(text.length > 12_000 && { isBadHttp: true }),
      }),
    ),
  ),
};
