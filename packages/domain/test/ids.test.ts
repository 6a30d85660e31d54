import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseUuid } from '../src/index.ts';
import { hostileText } from './support/arbitraries.ts';
import { titled } from './support/titled.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('parseUuid', () => {
  test.each([
    ['a canonical UUID', ID, ID],
    ['an upper-case UUID', ID.toUpperCase(), ID],
    ['a version 4 UUID', 'F47AC10B-58cc-4372-a567-0e02b2c3d479', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
    ['the max UUID', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ])('reads %s', (_what, text, id) => {
    expect<string | null>(parseUuid(text)).toBe(id);
  });

  test.each(
    titled([
      [''],
      ['root'],
      [`${ID}\n`],
      [` ${ID}`],
      [ID.slice(0, 35)],
      [`${ID}0`],
      [ID.replaceAll('-', '')],
      [`{${ID}}`],
      [`urn:uuid:${ID}`],
      [ID.replace('0', 'g')],
      [ID.replace('-', '0')],
      [ID.replace('0', '\uff10')],
      [ID.replace('0', '-')],
      [`01890a5d-ac96-774b-bcce-b302099a805'`],
      [null],
      [undefined],
      [0],
      [[ID]],
      [{ toString: 'no function', length: 36 }],
    ]),
  )('refuses %s', (_title, value) => {
    expect(parseUuid(value)).toBeNull();
  });

  test('reads every UUID in any case, and its own result', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.mixedCase(fc.uuid()), (lower, mixed) => {
        expect<string | null>(parseUuid(lower)).toBe(lower);
        expect<string | null>(parseUuid(mixed)).toBe(mixed.toLowerCase());
      }),
    );
  });

  test('refuses a UUID with one invalid character', () => {
    const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    const other = fc.oneof(any, fc.constantFrom('g', 'O', 'l', '-', ' ', '\u0660', '\uff21', '\u212a'));
    fc.assert(
      fc.property(fc.uuid(), fc.nat({ max: 35 }), other, (id, at, character) => {
        fc.pre(!/[0-9a-f]/i.test(character) && id.charAt(at) !== character);
        expect(parseUuid(id.slice(0, at) + character + id.slice(at + 1))).toBeNull();
      }),
    );
  });

  test('refuses any other text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(parseUuid(text)).toBeNull();
      }),
    );
  });
});
