import type { Register } from './register.ts';

/**
 * A workspace other than the ledger's. Clients create it, fill it and remove it. Of its contents, only the items that
 * must exist are recorded.
 */
export interface GuestRecord {
  /** The unique name of the workspace. */
  readonly name: string;
  id: string | null;
  /** null if no answer contained the token. */
  token: string | null;
  /** Whether the workspace exists. It is false from the start of the removal, even while rows are left. */
  readonly exists: Register<boolean>;
  /** The ids of items that were acknowledged as `active` and that no client has requested to delete. */
  readonly items: Set<string>;
}
