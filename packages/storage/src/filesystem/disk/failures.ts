import type { Refusal } from '@postshelf/domain';
import { storageUnavailable } from '../../unavailable.ts';

export const GONE = ['ENOENT', 'ENOTDIR'];

/** Codes of a file system that can't have a file with the name: a character is forbidden, or the name is too long. */
export const UNUSABLE_NAME = ['EINVAL', 'ENAMETOOLONG', 'EILSEQ'];

/** Codes of rmdir(2) for a directory that is missing or not empty; POSIX allows EEXIST in place of ENOTEMPTY. */
export const NOT_EMPTIED = ['ENOENT', 'ENOTEMPTY', 'EEXIST'];

const FULL = new Set(['EDQUOT', 'ENOSPC']);

/**
 * Error codes of a storage that can't be used at the moment. ENOENT is one of them: callers for which a missing file is
 * normal handle this code themselves, so here it means that the root is missing.
 */
const UNREACHABLE = new Set([
  'EACCES',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOENT',
  'ENOTCONN',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ESTALE',
  'ETIMEDOUT',
]);

/** Returns an error's code, such as `ENOENT`; undefined for errors without one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export const unavailable = (cause: unknown): Refusal => storageUnavailable(cause, FULL.has(codeOf(cause) ?? ''));

/** @throws Refusal `unavailable` when the storage is full or unreachable; any other error unchanged */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(error);
  }
}

/** Returns Refusal `unavailable` when the storage is full or unreachable; any other error unchanged. */
export function translateError(error: unknown): unknown {
  const code = codeOf(error) ?? '';
  return FULL.has(code) || UNREACHABLE.has(code) ? unavailable(error) : error;
}

/** Returns the fallback when the work fails with one of the codes. */
export async function withFallback<T, F>(codes: readonly string[], work: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return fallback;
    throw error;
  }
}

export const succeeds = (work: Promise<unknown>, unlessCodes: readonly string[]): Promise<boolean> =>
  withFallback(
    unlessCodes,
    work.then(() => true),
    false,
  );
