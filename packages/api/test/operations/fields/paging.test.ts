import { describe, expect, test } from 'bun:test';
import { MAX_PAGE } from '@postshelf/domain';
import fc from 'fast-check';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../../src/operations/fields/field-errors.ts';
import { pageQuery } from '../../../src/operations/pagination.ts';

const query = v.object(pageQuery);
const errorsOf = (input: unknown) => fieldErrorsOf(v.safeParse(query, input).issues ?? []);
const zeros = fc.integer({ min: 0, max: 5 }).map((count) => '0'.repeat(count));

describe('page and per_page', () => {
  test('are accepted as numbers or as digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_PAGE }), zeros, (number, before) => {
        const output = { page: number, per_page: number };
        expect(v.parse(query, { page: number, per_page: number })).toEqual(output);
        expect(v.parse(query, { page: `${before}${number}`, per_page: String(number) })).toEqual(output);
      }),
    );
  });

  test('are rejected below 1', () => {
    fc.assert(
      fc.property(fc.integer({ max: 0 }), fc.boolean(), (number, asText) => {
        const value = asText ? String(number) : number;
        expect(errorsOf({ page: value, per_page: value })).toEqual({
          page: ['The page field must be at least 1.'],
          per_page: ['The per page field must be at least 1.'],
        });
      }),
    );
  });

  test('are rejected if they are not integers', () => {
    const noInteger = fc.oneof(
      fc.string().filter((text) => !/^-?\d+$/.test(text)),
      fc.double({ noNaN: true }).filter((number) => !Number.isInteger(number)),
      fc.constantFrom('1e3', '0x10', '1.0', '1_000', '+1', ' 1', '1 ', '\u0661', '--1', 'NaN', 'Infinity', '1\n'),
    );
    fc.assert(
      fc.property(noInteger, (value) => {
        expect(errorsOf({ page: value, per_page: value })).toEqual({
          page: ['The page field must be an integer.'],
          per_page: ['The per page field must be an integer.'],
        });
      }),
    );
  });

  test('differ for huge numbers: page is rejected, and per_page is accepted', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: BigInt(MAX_PAGE) + 1n, max: 10n ** 400n }), (number) => {
        expect(errorsOf({ page: String(number) })).toEqual({
          page: [`The page field must not be greater than ${MAX_PAGE}.`],
        });
        const { per_page } = v.parse(query, { per_page: String(number) });
        expect(per_page).toBeGreaterThan(100);
        expect(Number.isSafeInteger(per_page)).toBe(true);
      }),
    );
  });

  test.each([[true], [{}], [[]], [['1']]])('are rejected if they are %p', (value) => {
    expect(errorsOf({ page: value })).toHaveProperty('page');
  });
});
