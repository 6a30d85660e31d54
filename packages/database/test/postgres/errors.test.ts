import { describe, expect, test } from 'bun:test';
import { DatabaseError } from 'pg';
import { failureOf, reasonOf, wasRolledBack } from '../../src/postgres/errors.ts';
import { adviceFor } from '../../src/postgres/grant-advice.ts';
import { expectUnavailable } from './support.ts';

function withCode(code: string): DatabaseError {
  const error = new DatabaseError('message', 0, 'error');
  error.code = code;
  return error;
}

describe('errors of PostgreSQL', () => {
  const passing: readonly (readonly [code: string, connection: 'kept' | 'replaced'])[] = [
    ['08006', 'replaced'],
    ['25006', 'kept'],
    ['25P03', 'replaced'],
    ['25P04', 'replaced'],
    ['26000', 'replaced'],
    ['28P01', 'kept'],
    ['3D000', 'kept'],
    ['3F000', 'kept'],
    ['40001', 'kept'],
    ['40P01', 'kept'],
    ['42501', 'kept'],
    ['42P01', 'kept'],
    ['42P05', 'replaced'],
    ['53100', 'kept'],
    ['53300', 'kept'],
    ['55P03', 'kept'],
    ['57014', 'kept'],
    ['57P01', 'replaced'],
    ['58030', 'kept'],
  ];
  for (const [code, connection] of passing) {
    test(`${code} is translated to unavailable, the message names the code, and the connection is ${connection}`, () => {
      const error = withCode(code);
      const failure = failureOf(error);
      expectUnavailable(failure.error, { code, message: `message (SQLSTATE ${code})` });
      expect(failure.isFatal).toBe(connection === 'replaced');
    });
  }

  for (const code of ['23505', '23503', '23514', '22P02', '42703', 'XX000']) {
    test(`${code} is a fault and is not translated`, () => {
      const error = withCode(code);
      expect(failureOf(error)).toEqual({ error, isFatal: false });
    });
  }

  test('advice on an error follows its message on the same line', () => {
    const advice = adviceFor(() => ({ role: 'Post"shelf', schema: 'public' }));
    const messageOf = (code: string, message: string): string => {
      const error = withCode(code);
      error.message = message;
      return reasonOf(failureOf(error, advice).error);
    };
    expect(messageOf('42501', 'permission denied for table media')).toBe(
      'permission denied for table media (SQLSTATE 42501); run as its owner: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "Post""shelf"',
    );
    expect(messageOf('42501', 'permission denied for schema public')).toEndWith(
      '; run as its owner: GRANT CREATE, USAGE ON SCHEMA public TO "Post""shelf"',
    );
    expect(messageOf('42501', 'must be owner of table media')).toContain('postshelf migrate');
    expect(messageOf('25006', 'cannot execute INSERT in a read-only transaction')).toContain('primary server');
    expect(messageOf('42P01', 'relation "media" does not exist')).toContain('search_path');
    expect(messageOf('57014', 'canceling statement due to statement timeout')).toEndWith('(SQLSTATE 57014)');
  });

  test('the error of a broken connection is translated to unavailable, and the connection is dropped', () => {
    const error = new Error('Connection terminated unexpectedly');
    const failure = failureOf(error);
    expectUnavailable(failure.error, error);
    expect(failure.isFatal).toBe(true);
  });

  test.each([
    ['CERT_HAS_EXPIRED', "the server's certificate is not accepted (reason)"],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      "the server's certificate is not accepted (reason); if an authority of your own has issued it, set NODE_EXTRA_CA_CERTS",
    ],
  ])('a connection that fails with %s is unavailable, and the message names the certificate', (code, message) => {
    const { error } = failureOf(Object.assign(new Error('reason'), { code }));
    expectUnavailable(error, { message });
    expect(reasonOf(error)).toBe(message);
  });

  test('a programming error is not translated', () => {
    const error = new TypeError('not a function');
    expect(failureOf(error).error).toBe(error);
  });

  test('deadlocks and serialization failures may be retried, even after translation', () => {
    for (const code of ['40001', '40P01']) {
      expect(wasRolledBack(withCode(code))).toBe(true);
      expect(wasRolledBack(failureOf(withCode(code)).error)).toBe(true);
    }
    for (const error of [withCode('57014'), withCode('23505'), new Error('40001')])
      expect(wasRolledBack(error)).toBe(false);
  });

  test('the reason is a single line, even if a host name has several addresses', () => {
    const refused = new Error('connect ECONNREFUSED ::1:5432');
    expect(reasonOf(new AggregateError([refused, new Error('other')]))).toBe(refused.message);
    expect(reasonOf(new Error('first\nsecond'))).toBe('first');
  });
});
