import { Refusal } from '@postshelf/domain';

/** For `catch`, when another was faster: null if the row was changed or is gone. @throws every other cause */
export function unlessChanged(cause: unknown): null {
  if (cause instanceof Refusal && ['changed', 'not_found'].includes(cause.problem.code)) return null;
  throw cause;
}
