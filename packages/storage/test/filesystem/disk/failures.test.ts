import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { codeOf, translateErrors, withFallback } from '../../../src/filesystem/disk/failures.ts';
import { unavailableMessage } from '../../support/objects.ts';

const failing = (code: unknown): Promise<never> => Promise.reject(Object.assign(new Error('failed'), { code }));

describe('work on the file system', () => {
  test.each([
    ...['ENOSPC', 'EDQUOT'].map((code) => [code, 'The storage is full.']),
    ...['EROFS', 'EIO', 'EACCES', 'EMFILE', 'ESTALE'].map((code) => [code, 'The storage is unavailable.']),
  ])('that fails with %s is refused as unavailable: %s', async (code, message) => {
    expect(await unavailableMessage(translateErrors(() => failing(code)))).toBe(message ?? '');
  });

  test.each(['EEXIST', 'ELOOP', 'ENOTDIR', 'EINVAL', 7, undefined])(
    'that fails with %p throws the error unchanged',
    async (code) => {
      const outcome = await translateErrors(() => failing(code)).catch((error: unknown) => error);
      expect(outcome).not.toBeInstanceOf(Refusal);
      expect(outcome).toMatchObject({ message: 'failed' });
    },
  );
});

test('withFallback uses the fallback only for the given error codes', async () => {
  expect(await withFallback(['ENOENT'], failing('ENOENT'), 'fallback')).toBe('fallback');
  expect(await withFallback(['ENOENT'], Promise.resolve('answer'), 'fallback')).toBe('answer');
  expect(await outcomeOf(withFallback(['ENOENT'], failing('EIO'), 'fallback'))).toThrow('failed');
});

test('codeOf yields a code only for errors of the operating system', () => {
  for (const other of [new Error('failed'), { code: 'EIO' }, null, 'EIO']) expect(codeOf(other)).toBeUndefined();
});
