import type {
  Actor,
  AnnouncedType,
  ChangedKind,
  DeliveredType,
  Delivery,
  DeliveryError,
  DisabledReason,
  EventType,
  JobKind,
  Lease,
  LinkAccess,
  MediaKind,
  MediaStatus,
  MediaType,
  OnDuplicate,
  Person,
  PostMetrics,
  Role,
  UploadTerms,
  Uuid,
} from '@postshelf/domain';

/** A boolean, which SQLite lacks; repositories convert it. */
export type Flag = 0 | 1;

/**
 * The tables, in either database. Times are whole milliseconds since the epoch, UTC; ids are UUIDs in canonical text
 * form.
 */
export interface Tables extends KeptTables, CountTables, LocalTables {}

export interface KeptTables {
  library: LibraryRow;
  workspaces: WorkspaceRow;
  folders: FolderRow;
  media: MediaRow;
  media_tags: MediaTagRow;
  trashed_media: TrashedMediaRow;
  trash_emptied: TrashEmptiedRow;
  presigned_uploads: PresignedUploadRow;
  duplicates: DuplicateRow;
  previews: PreviewRow;
  profiles: ProfileRow;
  posts: PostRow;
  post_media: PostMediaRow;
  calendars: CalendarRow;
  tokens: TokenRow;
  token_workspaces: TokenWorkspaceRow;
  people: PersonRow;
  repeats: RepeatRow;
  sessions: SessionRow;
  session_people: SessionPersonRow;
  sign_in_codes: SignInCodeRow;
  deletions: DeletionRow;
  webhooks: WebhookRow;
  webhook_deliveries: DeliveryRow;
  audit: AuditRow;
  removals: RemovalRow;
  jobs: JobRow;
  job_turns: JobTurnRow;
}

/** Counts, which triggers keep up to date. */
export interface CountTables {
  media_counts: MediaCountRow;
  folder_counts: FolderCountRow;
  post_counts: PostCountRow;
  workspace_usage: WorkspaceUsageRow;
  trash_usage: TrashUsageRow;
}

/** Tables that concern only this deployment, and aren't copied. */
interface LocalTables {
  object_checks: ObjectCheckRow;
  fence: FenceRow;
  fan_out: FanOutRow;
  events: EventRow;
  resource_changes: ResourceChangeRow;
  archives: ArchiveRow;
  resumable_uploads: ResumableUploadRow;
  resumable_pieces: ResumablePieceRow;
}

/** A job; the migration describes the columns. */
export interface JobRow {
  readonly kind: JobKind;
  readonly subject_id: Uuid;
  /** All zeros for a job of the whole library. */
  readonly workspace_id: Uuid;
  /** JSON: {@link JobPayloads}. */
  readonly payload: string | null;
  readonly added_at: number;
  readonly due_at: number | null;
  readonly attempts: number;
  readonly claims: number;
  readonly lease_owner: string | null;
  readonly reason: string | null;
}

/** A workspace's turn for jobs of a kind; the migration describes the columns. */
interface JobTurnRow {
  readonly kind: JobKind;
  readonly workspace_id: Uuid;
  readonly due_at: number | null;
  readonly is_ready: Flag;
  readonly turn: number;
}

export interface EventRow {
  /** In PostgreSQL, null until the position is assigned, some time after the commit. */
  readonly position: number | null;
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly resource_id: Uuid;
  /** A `mark` isn't an event, but a position after which a stream can resume. */
  readonly type: EventType | 'mark';
  readonly at: number;
  /** JSON, see `event-content.ts`. */
  readonly data: string | null;
}

interface ResourceChangeRow {
  readonly resource_id: Uuid;
  readonly workspace_id: Uuid;
  readonly kind: ChangedKind;
  readonly before: MediaStatus | 'there' | null;
}

/** The fence: one row, or none at first. */
export interface FenceRow extends LeaseColumns {
  readonly id: 1;
  readonly current: string | null;
  readonly previous: string | null;
  readonly moved_to: string | null;
}

export interface DeletionRow {
  readonly id: Uuid;
  readonly is_upload: Flag;
  readonly full_name: string | null;
  readonly deleted_at: number;
}

/** A webhook; the migration describes the columns. */
export interface WebhookRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly url: string;
  /** A JSON array. */
  readonly types: string | null;
  readonly enabled: Flag;
  readonly disabled_reason: DisabledReason | null;
  readonly failing_since: number | null;
  readonly secret: Uint8Array;
  readonly previous_secret: Uint8Array | null;
  readonly previous_until: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly told_after: number;
  readonly removed_at: number | null;
}

export interface DeliveryRow {
  readonly id: Uuid;
  readonly webhook_id: Uuid;
  readonly workspace_id: Uuid;
  readonly event_id: Uuid;
  readonly event_type: DeliveredType;
  readonly payload: string;
  readonly status: Delivery['status'];
  readonly attempts: number;
  readonly next_attempt_at: number | null;
  readonly last_status: number | null;
  readonly last_error: DeliveryError | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

/** The position of fan-out: one row, or none at first. */
interface FanOutRow {
  readonly id: 1;
  readonly position: number;
}

/** The state of the check of objects: one row, or none at first. */
export interface ObjectCheckRow {
  readonly id: 1;
  readonly cursor: Uuid | null;
  readonly started_at: number | null;
  readonly checked: number;
  readonly missing: number;
  readonly finished_at: number | null;
  readonly last_checked: number;
  readonly last_missing: number;
}

/** The library: one row, or none at first. */
export interface LibraryRow {
  readonly id: Uuid;
  readonly born_at: number;
  readonly generation: number;
  readonly restored_at: number | null;
  readonly storage_marked_at: number | null;
  readonly secret_fingerprint: string | null;
  readonly backed_up_at: number | null;
  readonly verified_at: number | null;
}

export interface WorkspaceRow {
  readonly id: Uuid;
  readonly name: string;
  readonly timezone: string;
  /** null if the service's default applies. */
  readonly strip_location: Flag | null;
  readonly max_bytes: number | null;
  readonly max_items: number | null;
  readonly links: LinkAccess;
  readonly link_key: Uuid | null;
  readonly created_at: number;
  /** Set while the workspace is being removed; all other operations treat it as missing. */
  readonly removal_begun_at: number | null;
  /** null if no stream is open; the workspace's changes then emit events only if it has webhooks. */
  readonly listened_until: number | null;
}

export interface FolderRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly parent_id: Uuid | null;
  readonly name: string;
  /** `folderNameKey(name)`, unique among siblings. */
  readonly name_key: string;
  readonly is_system: Flag;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A media item. Columns for the content and the error are null in states without content or error. */
export interface MediaRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly folder_id: Uuid | null;
  readonly name: string;
  readonly full_name: string;
  readonly label: string | null;
  readonly search_key: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly status: MediaStatus;
  readonly type: MediaType | null;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly time: number | null;
  readonly cover_of: Uuid | null;
  readonly error_message: string | null;
  /** A JSON object, see `details-json.ts`. */
  readonly details: string | null;
  readonly alt_text: string | null;
  /** Fractions of the width and height, from 0 to 1. Both columns are set, or neither. */
  readonly focus_x: number | null;
  readonly focus_y: number | null;
  readonly fitted_from: Uuid | null;
  /** `created_by` and `created_by_kind` are both set, or both null. */
  readonly created_by: Uuid | null;
  readonly created_by_kind: Actor['kind'] | null;
  readonly version: number;
}

/** An active item that was deleted and can be restored, or its cover. */
export interface TrashedMediaRow extends MediaRow {
  /** A JSON array. */
  readonly tags: string;
  readonly trashed_at: number;
}

/**
 * The time when a workspace's trash was last emptied. Rows that were trashed at or before that time are only waiting to
 * be removed.
 */
interface TrashEmptiedRow {
  readonly workspace_id: Uuid;
  readonly emptied_at: number;
}

export interface MediaTagRow {
  readonly media_id: Uuid;
  /** Keeps the tags in the order in which they were given. */
  readonly position: number;
  readonly workspace_id: Uuid;
  readonly tag: string;
  /** `tagKey(tag)`, unique within an item. */
  readonly tag_key: string;
}

export interface PresignedUploadRow extends LeaseColumns, TermsColumns {
  readonly media_id: Uuid;
  readonly size: number;
  /** Empty if any type is allowed. */
  readonly type: AnnouncedType | '';
  readonly expires_at: number;
}

export interface ArchiveRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  /** A JSON array. */
  readonly media_ids: string;
  readonly expires_at: number;
}

export interface ResumableUploadRow {
  readonly media_id: Uuid;
  readonly workspace_id: Uuid;
  readonly size: number;
  readonly received: number;
  readonly metadata: string;
  readonly last_byte_at: number;
}

export interface ResumablePieceRow {
  readonly media_id: Uuid;
  readonly start: number;
  readonly size: number;
  readonly name: string;
}

/** The id of an upload that turned out to be a duplicate, and the item that it refers to. */
interface DuplicateRow {
  readonly id: Uuid;
  readonly media_id: Uuid;
  readonly expires_at: number;
}

/** The preview state of an item; the migration describes the columns. */
interface PreviewRow {
  readonly media_id: Uuid;
  readonly has_failed: Flag;
  readonly placeholder: string | null;
}

export interface ProfileRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly name: string;
  readonly network: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** Set while the profile is being removed; all other operations treat it and its posts as missing. */
  readonly removal_begun_at: number | null;
}

/** A post, with a column for each of {@link PostMetrics}. */
export interface PostRow extends PostMetrics {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly profile_id: Uuid;
  readonly external_id: string | null;
  readonly published_at: number;
  readonly text: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

interface PostMediaRow {
  readonly post_id: Uuid;
  /** Keeps the media in the order in which they are shown. */
  readonly position: number;
  readonly media_id: Uuid;
}

export interface AuditRow {
  readonly id: Uuid;
  readonly at: number;
  readonly token_id: Uuid | null;
  readonly person_id: Uuid | null;
  readonly action: string;
  readonly subject_id: Uuid | null;
  readonly workspace_id: Uuid | null;
  readonly address: string | null;
  /** A JSON object. */
  readonly counts: string | null;
}

/** A workspace that was removed, or is being removed. */
interface RemovalRow {
  readonly workspace_id: Uuid;
  readonly begun_at: number;
  readonly ended_at: number | null;
  /** JSON, see {@link RemovedCounts}. */
  readonly counts: string;
}

export interface TokenRow {
  readonly id: Uuid;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  /** The token that replaced this one in a rotation. */
  readonly replaced_by: Uuid | null;
}

interface TokenWorkspaceRow {
  readonly token_id: Uuid;
  readonly workspace_id: Uuid;
  /** Keeps the workspaces in the order in which they were given. */
  readonly position: number;
}

export interface CalendarRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly profile_id: Uuid | null;
  readonly count: number;
  readonly min_gap_minutes: number;
  readonly exclude: string | null;
  /** Hash made by `SessionSecrets`. */
  readonly hash: string;
  readonly created_at: number;
}

export interface PersonRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly name: string;
  readonly email: string | null;
  /** Made by {@link emailKey}. */
  readonly email_key: string | null;
  readonly role: Role;
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly status: Person['status'];
  readonly invitation_hash: string | null;
  readonly invitation_expires_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A request with an idempotency key: it is leased while the request runs, and has the answer afterwards. */
export interface RepeatRow extends LeaseColumns {
  readonly id: Uuid;
  /** The id of a token or a person. */
  readonly token_id: Uuid;
  readonly position: number;
  readonly expires_at: number;
  readonly answer: Uint8Array | null;
}

export interface SessionRow {
  readonly id: Uuid;
  readonly token_id: Uuid | null;
  readonly hash: string;
  readonly name: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly last_used_at: number | null;
}

/** A person for whom a session without a token acts. */
interface SessionPersonRow {
  readonly session_id: Uuid;
  readonly person_id: Uuid;
}

interface SignInCodeRow {
  readonly id: Uuid;
  readonly token_id: Uuid;
  readonly hash: string;
  readonly expires_at: number;
}

/** Number of listed media in a group. PostgreSQL splits a group into rows by slot, which have to be summed. */
interface MediaCountRow {
  readonly workspace_id: Uuid;
  /** `Dialect.noId` for the root. */
  readonly folder_id: Uuid;
  readonly status: MediaStatus;
  /** Empty while the type is unknown. */
  readonly kind: MediaKind | '';
  readonly items: number;
}

interface FolderCountRow {
  readonly workspace_id: Uuid;
  readonly parent_id: Uuid;
  readonly folders: number;
}

interface PostCountRow {
  readonly profile_id: Uuid;
  readonly workspace_id: Uuid;
  readonly posts: number;
}

/**
 * Usage by `active` media of a kind, and by what presigned uploads have declared. PostgreSQL splits each of these
 * counts into rows by slot.
 */
interface WorkspaceUsageRow {
  readonly workspace_id: Uuid;
  readonly kind: MediaKind | 'reserved';
  readonly items: number;
  readonly bytes: number;
}

/** Usage by the trash, in slots like {@link WorkspaceUsageRow}. */
interface TrashUsageRow {
  readonly workspace_id: Uuid;
  readonly items: number;
  readonly bytes: number;
}

const TABLES: { readonly [Name in keyof Tables]: true } = {
  library: true,
  workspaces: true,
  folders: true,
  media: true,
  media_tags: true,
  trashed_media: true,
  trash_emptied: true,
  presigned_uploads: true,
  resumable_uploads: true,
  resumable_pieces: true,
  duplicates: true,
  previews: true,
  profiles: true,
  posts: true,
  post_media: true,
  calendars: true,
  archives: true,
  tokens: true,
  token_workspaces: true,
  people: true,
  repeats: true,
  sessions: true,
  session_people: true,
  sign_in_codes: true,
  media_counts: true,
  folder_counts: true,
  post_counts: true,
  workspace_usage: true,
  trash_usage: true,
  object_checks: true,
  fence: true,
  deletions: true,
  webhook_deliveries: true,
  webhooks: true,
  audit: true,
  removals: true,
  jobs: true,
  job_turns: true,
  fan_out: true,
  events: true,
  // This table comes last, because deleting rows of the other tables adds rows to it.
  resource_changes: true,
};

export const OWN_TABLES: readonly string[] = Object.keys(TABLES);

/** The terms that a client declares before the bytes arrive. */
export interface TermsColumns {
  readonly sha256: string | null;
  readonly on_duplicate: OnDuplicate;
}

/** Both columns are set, or neither. */
export interface LeaseColumns {
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
}

export const termsToRow = ({ sha256, onDuplicate }: UploadTerms): TermsColumns => ({
  sha256,
  on_duplicate: onDuplicate,
});

export const termsFromRow = ({ sha256, on_duplicate }: TermsColumns): UploadTerms => ({
  sha256,
  onDuplicate: on_duplicate,
});

export const leaseFromRow = ({ lease_owner, lease_until }: LeaseColumns): Lease | null =>
  lease_owner === null || lease_until === null ? null : { owner: lease_owner, until: lease_until };
