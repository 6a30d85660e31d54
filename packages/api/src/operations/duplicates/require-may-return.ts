import { type Caller, requireAlso } from '@postshelf/application';
import type { Workspace } from '@postshelf/domain';

/**
 * Requires the scope `media:read` of a caller that asks for an existing item to be returned.
 *
 * @param asked the values of `on_duplicate`, as received
 * @throws Refusal `missing_scope`
 */
export function requireMayReturn(caller: Caller, { id }: Pick<Workspace, 'id'>, asked: readonly unknown[]): void {
  if (asked.includes('return')) requireAlso(caller, id, 'media:read');
}
