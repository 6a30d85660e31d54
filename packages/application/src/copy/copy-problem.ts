import type { ObjectProblem } from '../verify/object-problem.ts';

export interface CopyProblem extends Omit<ObjectProblem, 'problem'> {
  readonly at: 'source' | 'target';
  /** The kind of problem; for `unreadable`, `found` says why. */
  readonly problem: ObjectProblem['problem'] | 'unreadable';
}

export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
}

/** Passes a body through, and turns its failures into {@link SourceFailure}. */
export async function* wrapSourceErrors(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new SourceFailure(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
