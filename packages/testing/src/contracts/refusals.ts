import { type Problem, Refusal } from '@postshelf/domain';

/**
 * Returns the problem of the `Refusal` with which a promise rejects. Throws if the promise resolves or rejects with any
 * other error.
 */
export async function refusalOf(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
  throw new Error('Nothing was refused.');
}
