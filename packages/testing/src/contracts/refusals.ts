import { type Problem, Refusal } from '@postshelf/domain';

/** Returns why a promise was refused; fails the test if it wasn't refused, or threw anything other than a refusal. */
export async function refusalOf(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
  throw new Error('Nothing was refused.');
}
