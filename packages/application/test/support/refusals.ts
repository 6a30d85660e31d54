import { type FieldErrors, type Problem, Refusal } from '@postshelf/domain';

/** Why a promise was refused; fails the test when it wasn't, or when what it throws is a fault. */
export async function refusalOf(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

/** The problem of a 422 on one field. */
export const invalidOn = (field: string, sentence: string): { code: 'invalid'; errors: FieldErrors } => ({
  code: 'invalid',
  errors: { [field]: [sentence] },
});

/** What a promise throws, whatever it is; fails the test when it throws nothing. */
export const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('Nothing was thrown.');
    },
    (error: unknown) => error,
  );
