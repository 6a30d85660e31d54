import { Refusal } from '@postshelf/domain';

/** How the work ended, for a process to print: `done`, the problem of a refusal, or the error. */
export const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.problem : String(error)),
  );
