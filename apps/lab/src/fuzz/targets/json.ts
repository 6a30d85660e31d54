import fc from 'fast-check';
import { jsonFor } from '../arbitraries/json.ts';
import { AUTHORIZATION, framing, HOST, keyLines, ORIGIN, pathOf } from '../arbitraries/request.ts';
import { weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import { operations } from '../oracle/document.ts';
import type { Target } from './target.ts';

const TYPES = [
  ...words(`application/json;charset=utf-16 application/problem+json APPLICATION/JSON text/json
    text/plain application/x-www-form-urlencoded application/jsonx`),
  'application/json; charset=utf-8',
  '',
];

const contentType = weighted([12, fc.constant('application/json')], [1, fc.constantFrom(...TYPES)]);

const written = operations.filter(({ body }) => body !== undefined);

/** The JSON body of every operation that takes one. */
export const json: Target = {
  about: 'JSON bodies of every operation: swapped types, extreme values, depth, surrogates, repeated keys',
  cases: fc.constantFrom(...written).chain((operation) =>
    fc
      .record({ target: pathOf(operation), type: contentType, bytes: jsonFor(operation.body), framing, keys: keyLines })
      .map(
        ({ target, type, bytes, framing: how, keys }): RequestCase => ({
          kind: 'request',
          operation: operation.name,
          method: operation.method,
          target,
          lines: [HOST, operation.isOpen ? ORIGIN : AUTHORIZATION, `Content-Type: ${type}`, ...keys],
          body: { bytes, framing: how },
        }),
      ),
  ),
};
