import fc from 'fast-check';
import { utf8 } from '../bytes/bytes.ts';

/** Splits a text into a list of words. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Chooses one of several arbitraries by their weights. */
export const weighted = <T>(...choices: readonly (readonly [weight: number, of: fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/**
 * Texts that break programs: escapes, separators, bidi, unnormalised text, unpaired surrogates, long texts, other
 * languages.
 */
const NASTY: readonly string[] = [
  ...words(`ﬃ ß İ ../../etc/passwd %00 %2e%2e%2f % _ " {{}} <script> null undefined NaN true
    __proto__ constructor CON .jpg ... 0 -1 1e309 9007199254740993 2026-02-30
    2026-11-21T18:30:00Z +275760-09-13T00:00:00Z 0000-00-00
    1970-01-01T00:00:00.000000000001+24:00 http://127.0.0.1:1/x.jpg http://[::1]/
    http://0x7f.1/ http://user:password@example.com/ http://example.com:99999/
    file:///etc/passwd javascript:alert(1) data:image/png;base64,AAAA http://xn--a/`),
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\n',
  '\u2028',
  '\ufeff',
  '\u202egpj.exe',
  'e\u0301',
  '\u1100\u1161\u11a8',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f466}',
  '..\\..\\x',
  "' or 1=1 --",
  '\\',
  '$(x)',
  'http://\u2100.example/',
];

const long = fc
  .tuple(fc.constantFrom('a', 'é', '\u{1f600}', '\u0301', '%'), fc.constantFrom(99, 100, 101, 250, 251, 2049, 70_000))
  .map(([letter, times]) => letter.repeat(times));

/** Unusual text, encoded in UTF-8. */
export const nastyText: fc.Arbitrary<string> = weighted(
  [6, fc.constantFrom(...NASTY)],
  [3, fc.string({ unit: 'binary', maxLength: 40 })],
  [1, long],
  [1, fc.array(fc.constantFrom(...NASTY), { maxLength: 4 }).map((parts) => parts.join(''))],
).map(utf8);

/** Generates random bytes, as a text of one character per byte. */
export const anyBytes = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));

/** Generates placeholders of ids, and texts that aren't ids. */
export const anyId: fc.Arbitrary<string> = weighted(
  [
    8,
    fc.constantFrom(
      ...words(`{{folder}} {{media}} {{video}} {{temporary}} {{profile}} {{post}} {{workspace}} {{webhook}} {{delivery}}
        {{calendar}} {{foreign}} {{unknown}}`),
    ),
  ],
  [1, fc.constantFrom('root', '00000000-0000-0000-0000-000000000000', '{{folder}}x', '')],
  [1, nastyText],
);
