import { type FieldErrors, type PostDetails, summarise, type UpsertOutcome, type Workspace } from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import type { Ports, Shared } from '../ports.ts';
import { conflictErrors, type PostReferences, postErrors } from './check-post.ts';
import { requireSpace } from './require-space.ts';

type ImportedPost = Omit<PostDetails, 'id' | 'workspaceId'>;

export type PostLine = { readonly number: number } & (
  | { readonly post: ImportedPost }
  /** `named`: the profile and the media that the line names. They are checked even if other fields are wrong. */
  | { readonly errors: FieldErrors; readonly named: PostReferences }
);

interface RejectedLine {
  readonly line: number;
  readonly message: string;
  readonly errors: FieldErrors;
}

export interface PostImportReport {
  readonly lines: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly rejections: readonly RejectedLine[];
}

/** Maximum number of rejected lines that are listed in the report. */
export const MAX_REJECTIONS = 100;

/**
 * Limits per transaction: large enough to spread the cost of a transaction over many lines, and small enough that other
 * writers get their turn and that memory use stays bounded.
 */
const BATCH = { lines: 250, characters: 500_000, media: 1000 } as const;

type ImportPorts = Pick<Ports, 'posts' | 'profiles' | 'media' | 'ids' | 'clock' | 'databaseSpace'> &
  Pick<Shared, 'shares'>;

export interface PostImportOptions {
  readonly signal?: AbortSignal;
  /** Called before each batch. If it throws, the import ends with that error. */
  readonly beforeBatch?: () => Promise<void>;
}

/**
 * Imports posts in order, batch by batch. A rejected line doesn't affect the others. A post that exists (by profile and
 * external id) is updated, so that an import can be repeated. If the import fails, earlier batches stay.
 *
 * @throws whatever `lines` and `beforeBatch` throw; Refusal `unavailable` or `storage_low`; if the signal is aborted,
 *   its reason or Refusal `malformed`; Refusal `invalid` on `profile` if a profile is deleted meanwhile
 */
export async function importPosts(
  ports: ImportPorts,
  workspace: Workspace,
  lines: AsyncIterable<PostLine>,
  { signal = new AbortController().signal, beforeBatch = async () => undefined }: PostImportOptions = {},
): Promise<PostImportReport> {
  const counts = { lines: 0, created: 0, updated: 0, unchanged: 0 };
  const rejections = new Rejections(ports, workspace);
  const ownProfiles = rememberOwnProfiles(ports, workspace);

  /**
   * Takes a slot before the transaction begins. A transaction that waits for a profile's lock holds a connection, so
   * without slots, imports into one profile could take all connections.
   */
  async function write(imported: readonly ImportedPost[]): Promise<readonly UpsertOutcome[]> {
    const releaseSlot = await ports.shares.take('writes', workspace.id, signal);
    try {
      await beforeBatch();
      await requireSpace(ports);
      const posts = imported.map((details) => ({ ...details, id: ports.ids.next(), workspaceId: workspace.id }));
      return await ports.posts.upsert(posts, ports.clock.now());
    } finally {
      releaseSlot();
    }
  }

  async function keep(batch: readonly PostLine[]): Promise<void> {
    const isOwn = await ownProfiles(batch);
    const accepted = batch.flatMap((line) => ('post' in line && isOwn(line.post.profileId) ? [line] : []));
    const outcomes = await write(accepted.map(({ post }) => post));
    const byNumber = new Map(accepted.map(({ number }, index) => [number, outcomes[index]]));
    for (const line of batch) {
      const outcome = byNumber.get(line.number);
      counts.lines++;
      if (typeof outcome === 'string') counts[outcome]++;
      else await rejections.add(line, outcome ? conflictErrors(outcome) : {});
      await turns.next();
    }
  }

  let batch: PostLine[] = [];
  let characters = 0;
  let media = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += 'post' in line ? (line.post.text?.length ?? 0) : 0;
    media += 'post' in line ? (line.post.mediaIds?.length ?? 0) : 0;
    if (batch.length < BATCH.lines && characters < BATCH.characters && media < BATCH.media) continue;
    await keep(batch);
    batch = [];
    characters = 0;
    media = 0;
  }
  if (batch.length > 0) await keep(batch);
  return { ...counts, rejected: rejections.count, rejections: rejections.first };
}

class Rejections {
  count = 0;
  readonly first: RejectedLine[] = [];

  constructor(
    private readonly ports: ImportPorts,
    private readonly workspace: Workspace,
  ) {}

  async add(line: PostLine, found: FieldErrors): Promise<void> {
    this.count++;
    if (this.first.length === MAX_REJECTIONS) return;
    const named = 'post' in line ? { profile: line.post.profileId, media_content_ids: line.post.mediaIds } : line.named;
    const { profile, media_content_ids } = named;
    const ofNames = await postErrors(this.ports, this.workspace.id, { profile, media_content_ids });
    const errors = { ...ofNames, ...found, ...('errors' in line ? line.errors : {}) };
    this.first.push({ line: line.number, message: summarise(errors), errors });
  }
}

/**
 * Remembers which profiles belong to the workspace, so that each is looked up only once. If a profile is deleted
 * afterwards, writing the next batch that uses it fails.
 */
function rememberOwnProfiles(ports: Pick<Ports, 'profiles'>, workspace: Workspace) {
  const own = new Set<string>();
  return async (batch: readonly PostLine[]): Promise<(id: string) => boolean> => {
    const named = batch.flatMap((line) => ('post' in line ? line.post.profileId : []));
    const unknown = [...new Set(named)].filter((id) => !own.has(id));
    for (const profile of unknown.length > 0 ? await ports.profiles.findMany(unknown) : []) {
      if (profile.workspaceId === workspace.id) own.add(profile.id);
    }
    return (id) => own.has(id);
  };
}
