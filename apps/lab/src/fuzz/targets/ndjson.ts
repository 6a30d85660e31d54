import fc from 'fast-check';
import { anyJson, jsonFor } from '../arbitraries/json.ts';
import { AUTHORIZATION, framing, HOST, pathOf } from '../arbitraries/request.ts';
import { anyBytes, weighted } from '../arbitraries/text.ts';
import type { Bytes } from '../bytes/bytes.ts';
import type { RequestCase } from '../case.ts';
import { at, type Json, operations, resolve } from '../oracle/document.ts';
import type { Target } from './target.ts';

const operation = operations.find(({ procedure }) => procedure === 'posts.import');
const single = operations.find(({ procedure }) => procedure === 'posts.create');
if (!operation || !single) throw new Error('The document has no import of posts.');

/** The schema of a line: the schema of a new post, plus an external id. */
const schema: Json = {
  type: 'object',
  properties: { ...(at(resolve(single.body), 'properties') as object), external_id: { type: 'string' } },
};

const GOOD = '{"profile":"{{profile}}","external_id":"e","published_at":"2026-01-31T18:30:00Z","metrics":{"likes":12}}';

const line: fc.Arbitrary<Bytes> = weighted(
  [64, jsonFor(schema)],
  [32, fc.constant(GOOD)],
  [16, anyJson],
  [16, fc.constantFrom('', ' ', '\t', '\r', '\0', '\xef\xbb\xbf{}')],
  [16, anyBytes(30)],
  // Costly lines are rare, because a case with one takes a second.
  [
    1,
    fc.constantFrom(1_048_500, 1_048_577, 3_000_000).map((times): Bytes => ['{"text":"', { repeat: 'x', times }, '"}']),
  ],
  [4, fc.constantFrom(249, 251, 1000).map((times): Bytes => ({ repeat: `${GOOD}\n`, times }))],
  [1, fc.constantFrom(101, 5000).map((times): Bytes => ({ repeat: 'x\n', times }))],
);

const end = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', '\n\n', '\u2028', '');

const type = weighted(
  [12, fc.constant('application/x-ndjson')],
  [1, fc.constantFrom('application/jsonl', 'application/ndjson', 'application/json', 'text/plain', '')],
);

/** Imports of posts. */
export const ndjson: Target = {
  about: 'imports of posts: lines of every kind, line ends, lengths, chunks',
  cases: fc
    .record({ target: pathOf(operation), type, lines: fc.array(fc.tuple(line, end), { maxLength: 8 }), framing })
    .map(
      ({ target, type: given, lines, framing: how }): RequestCase => ({
        kind: 'request',
        operation: operation.name,
        method: 'POST',
        target,
        lines: [HOST, AUTHORIZATION, `Content-Type: ${given}`],
        body: { bytes: lines.flat(), framing: how },
      }),
    ),
};
