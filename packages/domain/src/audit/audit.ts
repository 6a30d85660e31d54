import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RemovedCounts } from '../workspaces/workspace-repository.ts';

/** Milliseconds that entries are kept. */
export const AUDIT_LIFE = 90 * 24 * 60 * 60 * 1000;

/** Who did what to what, when, from where. Ids only: what they name may be gone. */
export interface AuditEntry {
  readonly id: Uuid;
  readonly at: number;
  /** null for commands, the service itself, and files that come by a presigned address. */
  readonly tokenId: Uuid | null;
  /** null for tokens, too. */
  readonly personId: Uuid | null;
  /** As in tRPC: `media.update`. */
  readonly action: string;
  readonly subjectId: Uuid | null;
  readonly workspaceId: Uuid | null;
  /** The client's IP address. */
  readonly address: string | null;
  /** What went with a workspace; null for all other actions. */
  readonly counts: RemovedCounts | null;
}

export interface AuditFilter {
  readonly workspaceId?: Uuid;
  readonly tokenId?: Uuid;
  /** Both ends are included. */
  readonly from: number;
  readonly to?: number;
}

/** Newest first; entries of one millisecond by id. */
export interface AuditRepository {
  /** All or none. An entry that was recorded already stays as it is, so after a failure the call may be repeated. */
  record(entries: readonly AuditEntry[]): Promise<void>;
  /** @throws Refusal `busy` if too many lists are being read */
  list(filter: AuditFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<AuditEntry>>;
  /** Those that come behind an entry; from the first one for null. @throws Refusal as {@link list} */
  listBehind(
    filter: AuditFilter,
    last: Pick<AuditEntry, 'id' | 'at'> | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly AuditEntry[]>;
  /** Removes at most `limit` entries; returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
