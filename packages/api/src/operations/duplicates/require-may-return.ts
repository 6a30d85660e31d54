import { requireScope } from '@postshelf/application';
import type { AccessToken } from '@postshelf/domain';

/**
 * From a caller that may get an existing item back.
 *
 * @param asked values of `on_duplicate`, as they came
 * @throws Refusal `missing_scope`
 */
export function requireMayReturn(token: AccessToken, asked: readonly unknown[]): void {
  if (asked.includes('return')) requireScope(token, 'media:read');
}
