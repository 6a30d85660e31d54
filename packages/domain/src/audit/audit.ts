import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RemovedCounts } from '../workspaces/workspace-repository.ts';

/** How long entries are kept, in milliseconds. */
export const AUDIT_LIFE = 90 * 24 * 60 * 60 * 1000;

/**
 * A record of who did what to what, when and from where. It contains only ids, and the resources with these ids may no
 * longer exist.
 */
export interface AuditEntry {
  readonly id: Uuid;
  readonly at: number;
  /**
   * The acting token; null if a person, a command or the service itself acted, or if a file was sent to a presigned
   * URL.
   */
  readonly tokenId: Uuid | null;
  /** The acting person; null unless a person made the change. */
  readonly personId: Uuid | null;
  /** The operation's tRPC name, such as `media.update`. */
  readonly action: string;
  readonly subjectId: Uuid | null;
  readonly workspaceId: Uuid | null;
  /** The client's IP address. */
  readonly address: string | null;
  /** The contents deleted with a workspace; null for all other actions. */
  readonly counts: RemovedCounts | null;
}

export interface AuditFilter {
  readonly workspaceId?: Uuid;
  readonly tokenId?: Uuid;
  /** The period, both ends included. */
  readonly from: number;
  readonly to?: number;
}

/** Lists entries newest first; entries of the same millisecond are ordered by id. */
export interface AuditRepository {
  /** Records all entries or none. Entries recorded earlier stay unchanged, so a failed call may be repeated. */
  record(entries: readonly AuditEntry[]): Promise<void>;
  /** Lists the entries that match a filter. @throws Refusal `busy` if too many lists are being read */
  list(filter: AuditFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<AuditEntry>>;
  /** Lists the entries that follow `last`; if it is null, the first entries. @throws Refusal as {@link list} */
  listBehind(
    filter: AuditFilter,
    last: Pick<AuditEntry, 'id' | 'at'> | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly AuditEntry[]>;
  /** Removes at most `limit` entries recorded before an instant. Returns how many were removed. */
  prune(before: number, limit: number): Promise<number>;
}
