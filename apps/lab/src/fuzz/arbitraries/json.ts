import fc from 'fast-check';
import { at, entriesOf, type Json, resolve } from '../oracle/document.ts';
import { anyBytes, anyId, nastyText, weighted, words } from './text.ts';

/** Generates JSON texts, one character per byte, including texts that no serialiser writes. */
export type JsonText = fc.Arbitrary<string>;

/** Encodes bytes as a JSON string, sometimes with needless or invalid escapes. */
const quoted = (text: fc.Arbitrary<string>): JsonText =>
  fc.tuple(text, fc.constantFrom('plain', 'plain', 'plain', 'escaped', 'surrogate')).map(([given, how]) => {
    if (how === 'plain') return `"${given.replaceAll(MUST_ESCAPE, escaped)}"`;
    if (how === 'surrogate') return `"${given.replaceAll(MUST_ESCAPE, escaped)}\\ud83d"`;
    return `"${[...given].map(escaped).join('')}"`;
  });

/** Characters that a string must escape (RFC 8259 section 7): controls, the quote, the backslash. */
const MUST_ESCAPE = /[^ !#-[\]-\xff]/g;

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

const NUMBERS = words('0 -0 1 -1 1.5 1e0 1E400 -1e400 1e-400 9007199254740993 1.0 2147483648');
const HUGE = ['18446744073709551616', '100000000000', '100000000001', '9'.repeat(400), `0.${'0'.repeat(400)}1`];

const number: JsonText = fc.oneof(
  fc.constantFrom(...NUMBERS, ...HUGE),
  fc.double().map((value) => JSON.stringify(value)),
  fc.integer().map(String),
);

/** Invalid JSON, and JSON at the edge of validity. */
const broken: JsonText = fc.oneof(
  fc.constantFrom(...words('NaN Infinity undefined 01 +1 .5 1. 0x10'), '', "'a'", '"\\x"', '"\\u12"', '"\t"'),
  fc.constantFrom('{', '[', '"', '{"a"}', '{"a":}', '{,}', '[,]', '[1,]', '{"a":1,}', '/**/1', '\ufeff{}', '{}{}', ']'),
  anyBytes(12),
);

const deep: JsonText = fc
  .tuple(fc.constantFrom('[', '{"a":', '[[],'), fc.constantFrom(10, 63, 64, 65, 1000, 100_000), fc.boolean())
  .map(([open, times, closes]) => {
    const close = open === '{"a":' ? '}' : ']';
    return `${open.repeat(times)}${closes ? `1${close.repeat(times)}` : ''}`;
  });

const scalar: JsonText = fc.oneof(fc.constantFrom('null', 'true', 'false', '{}', '[]'), number, quoted(nastyText));

/** Any JSON value. */
export const anyJson: JsonText = weighted(
  [6, scalar],
  [2, fc.array(scalar, { maxLength: 12 }).map((items) => `[${items.join()}]`)],
  [
    2,
    fc
      .array(fc.tuple(quoted(nastyText), scalar), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join()}}`),
  ],
  [1, deep],
  [1, broken],
);

const ODD_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'length', '', '0', 'workspace', 'id', 'then'];

/**
 * Generates JSON that fits a schema of the document, or almost fits it: for example, a type is swapped, a bound is
 * exceeded, or a key is added or repeated.
 */
export function jsonFor(schema: Json | undefined): JsonText {
  return weighted([9, fitting(resolve(schema))], [1, anyJson]);
}

function fitting(schema: Json | undefined): JsonText {
  const choices = at(schema, 'anyOf') ?? at(schema, 'oneOf');
  if (Array.isArray(choices)) return fc.oneof(...(choices as readonly Json[]).map(jsonFor));
  const values = at(schema, 'enum');
  if (Array.isArray(values))
    return fc.constantFrom(...(values as readonly Json[]).map((value) => JSON.stringify(value)));
  const types = [at(schema, 'type') ?? 'string'].flat();
  return fc.oneof(...types.map((type) => ofType(String(type), schema)));
}

function ofType(type: string, schema: Json | undefined): JsonText {
  switch (type) {
    case 'object':
      return objectFor(schema);
    case 'array':
      return fc.array(jsonFor(at(schema, 'items')), { maxLength: 12 }).map((items) => `[${items.join()}]`);
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 1, max: 100_000 }).map(String), number);
    case 'null':
      return fc.constant('null');
    case 'boolean':
      return fc.constantFrom('true', 'false');
    default:
      return stringFor(schema);
  }
}

function stringFor(schema: Json | undefined): JsonText {
  const examples = [at(schema, 'examples') ?? []].flat().filter((example) => typeof example === 'string');
  const good = examples.length > 0 ? fc.constantFrom(...examples).map((example) => JSON.stringify(example)) : null;
  const format = at(schema, 'format');
  if (format === 'uuid') return quoted(anyId);
  const plain = quoted(fc.stringMatching(/^[a-z]{3,12}$/));
  return fc.oneof(...(good ? [good] : []), plain, quoted(nastyText));
}

function objectFor(schema: Json | undefined): JsonText {
  const members = entriesOf(at(schema, 'properties')).map(([key, value]) =>
    fc.option(
      jsonFor(value).map((text) => `${JSON.stringify(key)}:${text}`),
      { freq: 6, nil: '' },
    ),
  );
  const odd = fc.tuple(fc.constantFrom(...ODD_KEYS), anyJson).map(([key, value]) => `"${key}":${value}`);
  const repeated = entriesOf(at(schema, 'properties')).map(([key]) => key);
  const twice = fc
    .tuple(fc.constantFrom(...repeated, '__proto__'), scalar)
    .map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  const more = fc.array(fc.oneof(odd, twice), { maxLength: 2 });
  return fc
    .tuple(fc.tuple(...members), weighted([3, fc.constant<string[]>([])], [1, more]))
    .map(([own, added]) => `{${[...own, ...added].filter((member) => member !== '').join()}}`);
}
