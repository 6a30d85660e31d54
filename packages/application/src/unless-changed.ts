import { Refusal } from '@postshelf/domain';

/** Returns null if the row was changed or removed by another request; for use in `catch`. @throws every other cause */
export function unlessChanged(cause: unknown): null {
  if (cause instanceof Refusal && ['changed', 'not_found'].includes(cause.problem.code)) return null;
  throw cause;
}
