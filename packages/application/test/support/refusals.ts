import type { FieldErrors } from '@postshelf/domain';

export { refusalOf } from '@postshelf/testing/contracts/refusals';

/** Returns the problem of a 422 about one field. */
export const invalidOn = (field: string, sentence: string): { code: 'invalid'; errors: FieldErrors } => ({
  code: 'invalid',
  errors: { [field]: [sentence] },
});

/** Returns the error with which a promise rejects; fails the test if it doesn't reject. */
export const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('Nothing was thrown.');
    },
    (error: unknown) => error,
  );
