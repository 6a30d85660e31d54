import { type FieldErrors, type PostDetails, parseUuid, summarise, type Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { conflictErrors, NO_SUCH_PROFILE } from './check-post.ts';

/** A line of an import as it was read: what it says of a post, or what is wrong with it. */
export type PostLine = { readonly number: number } & (
  | { readonly said: Omit<PostDetails, 'id' | 'workspaceId'> }
  /** `profile` as the line has it, which is looked up whatever else is wrong. */
  | { readonly errors: FieldErrors; readonly profile: unknown }
);

export interface RejectedLine {
  /** From 1. */
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
  /** The first {@link MAX_REJECTIONS}. */
  readonly rejections: readonly RejectedLine[];
}

/** Rejected lines that are named in the report. */
export const MAX_REJECTIONS = 100;

/**
 * What is kept in one transaction: enough to share its cost, few enough for others to come in between, and no more text
 * than fits into memory for any number of imports at once.
 */
const BATCH = { lines: 500, characters: 500_000 } as const;

/**
 * Takes in posts line by line, in order, a batch at a time, and holds no more than that batch. Each line stands for
 * itself: a rejected one doesn't keep others out. A post that is there (by profile and external id) is brought up to
 * date, so that repeating an import is harmless, also one that broke off.
 *
 * @throws what `lines` throws, and Refusal `unavailable`; batches that were complete by then stay
 */
export async function importPosts(
  ports: Pick<Ports, 'posts' | 'profiles' | 'ids' | 'clock'>,
  workspace: Workspace,
  lines: AsyncIterable<PostLine>,
): Promise<PostImportReport> {
  const counts = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  const rejections: RejectedLine[] = [];
  const ownProfiles = rememberOwnProfiles(ports, workspace);

  function reject(line: number, errors: FieldErrors): void {
    counts.rejected++;
    if (rejections.length < MAX_REJECTIONS) rejections.push({ line, message: summarise(errors), errors });
  }

  async function keep(batch: readonly PostLine[]): Promise<void> {
    const isOwn = await ownProfiles(batch);
    const wanted: { readonly number: number; readonly post: PostDetails }[] = [];
    const rejected = new Map<number, FieldErrors>();
    for (const line of batch) {
      if ('errors' in line) rejected.set(line.number, { ...unknownProfile(line.profile, isOwn), ...line.errors });
      else if (!isOwn(line.said.profileId)) rejected.set(line.number, NO_SUCH_PROFILE);
      else
        wanted.push({ number: line.number, post: { ...line.said, id: ports.ids.next(), workspaceId: workspace.id } });
    }
    const outcomes = await ports.posts.put(
      wanted.map(({ post }) => post),
      ports.clock.now(),
    );
    for (const [index, { number }] of wanted.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) throw new Error(`The post of line ${number} came to nothing`);
      if (typeof outcome === 'string') counts[outcome]++;
      else rejected.set(number, conflictErrors(outcome));
    }
    counts.lines += batch.length;
    for (const { number } of batch) {
      const errors = rejected.get(number);
      if (errors) reject(number, errors);
    }
  }

  let batch: PostLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += 'said' in line ? (line.said.text?.length ?? 0) : 0;
    if (batch.length < BATCH.lines && characters < BATCH.characters) continue;
    await keep(batch);
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) await keep(batch);
  return { ...counts, rejections };
}

function unknownProfile(profile: unknown, isOwn: (id: string) => boolean): FieldErrors {
  const id = parseUuid(profile);
  return id === null || isOwn(id) ? {} : NO_SUCH_PROFILE;
}

/** Tells a workspace's own profiles from others; each is looked up once, as profiles stay. */
function rememberOwnProfiles(ports: Pick<Ports, 'profiles'>, workspace: Workspace) {
  const own = new Set<string>();
  return async (batch: readonly PostLine[]): Promise<(id: string) => boolean> => {
    const named = batch.flatMap((line) => ('said' in line ? line.said.profileId : (parseUuid(line.profile) ?? [])));
    const unknown = [...new Set(named)].filter((id) => !own.has(id));
    for (const profile of unknown.length > 0 ? await ports.profiles.findMany(unknown) : []) {
      if (profile.workspaceId === workspace.id) own.add(profile.id);
    }
    return (id) => own.has(id);
  };
}
