import { type Problem, Refusal } from '@postshelf/domain';

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
