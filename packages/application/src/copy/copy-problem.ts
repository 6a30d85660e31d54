import type { ObjectProblem } from '../verify/object-problem.ts';

/** What is wrong with an object that was to be copied, or with its copy. */
export interface CopyProblem extends Omit<ObjectProblem, 'problem'> {
  readonly at: 'source' | 'target';
  /** `unreadable`: reading the object failed; `found` says why. */
  readonly problem: ObjectProblem['problem'] | 'unreadable';
}

/** Wraps an error of a source's body, to distinguish it from an error of the target. */
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
