import type { ObjectProblem } from '../verify/object-problem.ts';

/** What is wrong with an object that was to be copied, or with its copy. */
export interface CopyProblem extends Omit<ObjectProblem, 'problem'> {
  readonly at: 'source' | 'target';
  /** `unreadable`: the storage has it and broke off while giving it; `found` says why. */
  readonly problem: ObjectProblem['problem'] | 'unreadable';
}

/** Thrown in place of what a source's body failed with, to tell it from a failure of the target. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
}

/** The body, with its failures as {@link SourceFailure}. */
export async function* wrapSourceErrors(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new SourceFailure(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
