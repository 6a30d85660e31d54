import { type Caller, requireAlso } from '@postshelf/application';
import type { Workspace } from '@postshelf/domain';

/**
 * Requires that a caller that may get an existing item back has the scope to read.
 *
 * @param asked the values of `on_duplicate`, as received
 * @throws Refusal `missing_scope`
 */
export function requireMayReturn(caller: Caller, { id }: Pick<Workspace, 'id'>, asked: readonly unknown[]): void {
  if (asked.includes('return')) requireAlso(caller, id, 'media:read');
}
