import fc from 'fast-check';
import { anyJson, jsonFor } from '../arbitraries/json.ts';
import { AUTHORIZATION, framing, HOST, keyLines } from '../arbitraries/request.ts';
import { anyBytes, weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import { at, type Json, type Operation, operations, resolve } from '../oracle/document.ts';
import type { Target } from './target.ts';

const procedures = operations.filter(
  ({ procedure, method, isOpen }) => procedure !== 'posts.import' && method !== 'DELETE' && !isOpen,
);

const ID: Json = { type: 'string', format: 'uuid' };

/**
 * Returns the schema of the input, which is one flat object: the parameters of the path, the query and the body
 * (docs/api.md, "tRPC").
 */
function inputOf({ path, query, body }: Operation): Json {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, ID] as const);
  const asked = query.map(({ name, schema }) => [name, schema] as const);
  const written = at(resolve(body), 'properties');
  const properties = { ...Object.fromEntries([...ids, ...asked]), ...(typeof written === 'object' ? written : {}) };
  return { type: 'object', properties };
}

/** Generates inputs. Most of them contain an existing id, so that the call passes the access check. */
export const inputFor = (operation: Operation): fc.Arbitrary<string> => {
  const home = operation.path.includes('{workspace}') ? '"workspace":"{{workspace}}"' : '"id":"{{media}}"';
  const entered = (text: string): string =>
    text.startsWith('{') && text.endsWith('}') ? `${text.slice(0, -1)}${text === '{}' ? '' : ','}${home}}` : text;
  return weighted([3, jsonFor(inputOf(operation)).map(entered)], [1, jsonFor(inputOf(operation))]);
};

const ODD_NAMES = [...words('. folders folders. __proto__ constructor folders.list.x %2e a,b {{workspace}}'), ''];

const call = weighted(
  [
    10,
    fc
      .constantFrom(...procedures)
      .chain((operation) => inputFor(operation).map((input) => ({ name: operation.procedure, input }))),
  ],
  [1, fc.record({ name: fc.constantFrom(...ODD_NAMES), input: anyJson })],
);

const one = fc.tuple(call, fc.boolean()).map(([{ name, input }, reads]) => ({ path: name, query: '', input, reads }));

const batch = fc
  .tuple(fc.array(call, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 1, 1, 9, 60), fc.boolean())
  .map(([calls, times, reads]) => {
    const all = Array.from({ length: times }, () => calls).flat();
    const inputs = all.map(({ input }, nth) => `"${nth}":${input}`);
    return { path: all.map(({ name }) => name).join(), query: 'batch=1', input: `{${inputs.join()}}`, reads };
  });

const oddBatch = fc
  .tuple(call, anyJson)
  .map(([{ name }, input]) => ({ path: name, query: 'batch=1', input, reads: false }));

const percentEncoded = (text: string): string =>
  text.replaceAll(/[^\w{}]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);

const type = weighted(
  [12, fc.constant('application/json')],
  [1, fc.constantFrom('text/plain', 'multipart/form-data; boundary=x', 'application/octet-stream', '')],
);

/** The documented operations over tRPC, as single calls and in batches. */
export const trpc: Target = {
  about: 'tRPC: inputs of every procedure, batches, names, methods',
  cases: fc
    .record({
      asked: weighted([3, one], [2, batch], [1, oddBatch]),
      type,
      framing,
      junk: anyBytes(6),
      keys: keyLines,
    })
    .map(({ asked, type: given, framing: how, junk, keys }): RequestCase => {
      const { path, query, input, reads } = asked;
      const base = { kind: 'request', method: reads ? 'GET' : 'POST' } as const;
      if (!reads) {
        const lines = [HOST, AUTHORIZATION, `Content-Type: ${given}`, ...keys];
        const target = `/trpc/${path}${query && '?'}${query}`;
        return { ...base, target, lines, body: { bytes: input, framing: how } };
      }
      // The service refuses request lines that are too long, so a long input is replaced. `headers` tests long lines.
      const text = percentEncoded(input.length > 4000 ? junk : input);
      return { ...base, target: `/trpc/${path}?${query}&input=${text}`, lines: [HOST, AUTHORIZATION] };
    }),
};
