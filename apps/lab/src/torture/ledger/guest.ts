import type { Register } from './register.ts';

/**
 * A workspace other than the ledger's, which clients create, fill and remove. Its contents are recorded only if they
 * must be there.
 */
export interface GuestRecord {
  /** Unique. */
  readonly name: string;
  id: string | null;
  /** null if no answer contained it. */
  token: string | null;
  /** False from its removal on, even while rows are left. */
  readonly exists: Register<boolean>;
  /** Ids of items that were acknowledged as `active`, and that no client has requested to delete. */
  readonly items: Set<string>;
}
