import fc from 'fast-check';
import { MEDIA_TYPES, type MediaType, parseUuid, type Uuid } from '../../src/index.ts';

/** Returns a UUID that is written out in a test. */
export function uuid(text: string): Uuid {
  const id = parseUuid(text);
  if (id === null) throw new Error(`${text} is no UUID.`);
  return id;
}

export const anyUuid = fc.uuid().map(uuid);

export const anyMediaType = fc.constantFrom(...(Object.keys(MEDIA_TYPES) as MediaType[]));

/** Texts that have broken file names, links and terminals before. */
const NASTY = [
  '/',
  '\\',
  '..',
  '.',
  ' ',
  '\u00a0',
  '\u2028',
  '\u2044',
  '\uff0f',
  '\0',
  '\n',
  '\u007f',
  '\u0085',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  'e\u0301',
  '\u0301\u0316',
  'İ',
  'ẞ',
  'ς',
  '👩🏽\u200d🚀',
  '.jpg',
  '.MOV',
  '.php',
  'C:\\fakepath\\',
  '%2e%2e%2f',
  '?#&=+',
  "!'()*",
  '"<script>',
  '__proto__',
] as const;

/** Generates half of a surrogate pair, which no well-formed text contains. */
const loneSurrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));

/** Generates text as an attacker may send it: any code units, with the nasty texts often among them. */
export const hostileText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
      { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
      { weight: 1, arbitrary: loneSurrogate },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 80, maxLength: 150 }) },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));
