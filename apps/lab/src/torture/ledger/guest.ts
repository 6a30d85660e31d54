import type { Register } from './register.ts';

/** A workspace beside that of the ledger, which clients make, fill and remove. What is in it is recorded only where it must be there. */
export interface GuestRecord {
  /** Unique. */
  readonly name: string;
  id: string | null;
  /** null if no answer had it. */
  token: string | null;
  /** False from its removal on, even while rows are left. */
  readonly exists: Register<boolean>;
  /** Ids of items that were acknowledged as `active`, and that nobody has asked to delete. */
  readonly items: Set<string>;
}
