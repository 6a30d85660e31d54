import { Refusal } from '@postshelf/domain';

/** Returns null if another request has changed or removed the row; used in `catch`. @throws every other cause */
export function unlessChanged(cause: unknown): null {
  if (cause instanceof Refusal && ['changed', 'not_found'].includes(cause.problem.code)) return null;
  throw cause;
}
