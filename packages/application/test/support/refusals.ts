import type { FieldErrors } from '@postshelf/domain';

export { refusalOf } from '@postshelf/testing/contracts/refusals';

/** The problem of a 422 on one field. */
export const invalidOn = (field: string, sentence: string): { code: 'invalid'; errors: FieldErrors } => ({
  code: 'invalid',
  errors: { [field]: [sentence] },
});

/** The error with which a promise rejects; fails the test if it doesn't. */
export const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('Nothing was thrown.');
    },
    (error: unknown) => error,
  );
