import { describe, expect, test } from 'bun:test';
import { DatabaseError } from 'pg';
import { failureOf, isUndone, reasonOf } from '../../src/postgres/errors.ts';
import { expectUnavailable } from './support.ts';

function withCode(code: string): DatabaseError {
  const error = new DatabaseError('message', 0, 'error');
  error.code = code;
  return error;
}

describe('errors of PostgreSQL', () => {
  for (const code of [
    '08006',
    '28P01',
    '3D000',
    '40001',
    '40P01',
    '53100',
    '53300',
    '55P03',
    '57014',
    '57P01',
    '58030',
  ]) {
    test(`${code} is unavailable, the cause is kept, and the connection too`, () => {
      const error = withCode(code);
      const failure = failureOf(error);
      expectUnavailable(failure.error, error);
      expect(failure.isFatal).toBe(false);
    });
  }

  for (const code of ['23505', '23503', '23514', '42P01', '22P02', '42501', 'XX000']) {
    test(`${code} is a fault, and stays as it is`, () => {
      const error = withCode(code);
      expect(failureOf(error)).toEqual({ error, isFatal: false });
    });
  }

  test('a broken connection is unavailable, and of no more use', () => {
    const error = new Error('Connection terminated unexpectedly');
    const failure = failureOf(error);
    expectUnavailable(failure.error, error);
    expect(failure.isFatal).toBe(true);
  });

  test('a mistake of the program is a fault', () => {
    const error = new TypeError('not a function');
    expect(failureOf(error).error).toBe(error);
  });

  test('deadlocks and serialization failures may be tried again, also once translated', () => {
    for (const code of ['40001', '40P01']) {
      expect(isUndone(withCode(code))).toBe(true);
      expect(isUndone(failureOf(withCode(code)).error)).toBe(true);
    }
    for (const error of [withCode('57014'), withCode('23505'), new Error('40001')]) expect(isUndone(error)).toBe(false);
  });

  test('the reason is one line, also where a name has several addresses', () => {
    const refused = new Error('connect ECONNREFUSED ::1:5432');
    expect(reasonOf(new AggregateError([refused, new Error('other')]))).toBe(refused.message);
    expect(reasonOf(new Error('first\nsecond'))).toBe('first');
  });
});
