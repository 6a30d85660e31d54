import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { limitWork, type PostRepository, type Uuid, type Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { FairShares, importPosts, type PostLine } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addProfile, PUBLISHED } from '../support/posts.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const SIZES = { uploads: 1, uploadsPerWorkspace: 1, imports: 1, importsPerWorkspace: 1, scans: 1, writes: 4 };
const IMPORTS = 16;

let world: World;
let busy: Workspace;
let shares: FairShares;
/** The numbers of writes of the busy workspace: those started so far, and those in progress now. */
let begun: number;
let underWay: number;
let mostUnderWay: number;
let release: () => void;
let posts: PostRepository;

beforeEach(async () => {
  ({ workspace: busy, ...world } = await inhabitedWorld());
  shares = new FairShares(limitWork(SIZES));
  [begun, underWay, mostUnderWay] = [0, 0, 0];
  const { promise: released, resolve } = Promise.withResolvers<void>();
  release = resolve;
  posts = replacing(world.posts, {
    async upsert(batch, now) {
      if (batch[0]?.workspaceId !== busy.id) return world.posts.upsert(batch, now);
      begun += 1;
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await released;
      const outcomes = await world.posts.upsert(batch, now);
      underWay -= 1;
      return outcomes;
    },
  });
});

async function* lineOf(profileId: Uuid, externalId: string): AsyncGenerator<PostLine> {
  yield { number: 1, post: { profileId, externalId, publishedAt: PUBLISHED } };
}

/** Starts imports of one post each into the busy workspace. Each import has a slot or waits for one. */
async function startImports(signal?: AbortSignal) {
  const { id } = await addProfile(world, busy);
  const options = signal ? { signal } : {};
  const reports = Array.from({ length: IMPORTS }, (_, index) =>
    importPosts({ ...world, posts, shares }, busy, lineOf(id, String(index)), options),
  );
  // A test may end without awaiting these promises, so a rejection mustn't count as unhandled.
  for (const report of reports) report.catch(() => undefined);
  const figures = () => shares.figures('writes');
  while (figures().inUse + figures().waiting < IMPORTS || begun < figures().inUse) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reports;
}

describe('imports of one workspace', () => {
  test('write at most two batches concurrently, without blocking another workspace', async () => {
    const reports = await startImports();
    expect(begun).toBe(2);
    const other = await addWorkspace(world);
    const { id } = await addProfile(world, other);
    // This import ends while the other writes are still in progress.
    expect(await importPosts({ ...world, posts, shares }, other, lineOf(id, 'post'))).toMatchObject({ created: 1 });
    expect(begun).toBe(2);
    release();
    for (const report of reports) expect(await report).toMatchObject({ created: 1 });
    expect(mostUnderWay).toBe(2);
    expect(shares.figures('writes')).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test('write nothing if the client disconnects while they wait', async () => {
    const gone = new AbortController();
    const reports = await startImports(gone.signal);
    gone.abort();
    expect(shares.figures('writes').waiting).toBe(0);
    release();
    const ended = await Promise.allSettled(reports);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const refusals = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    for (const { problem } of refusals) expect(problem).toMatchObject({ code: 'malformed' });
    expect(begun).toBe(2);
  });

  test('release their slot if a write fails or is refused', async () => {
    const { id } = await addProfile(world, busy);
    const failure = new Error('The database is gone.');
    const failing = replacing(world.posts, { upsert: () => Promise.reject(failure) });
    const failed = importPosts({ ...world, posts: failing, shares }, busy, lineOf(id, 'post'));
    expect(await thrownBy(failed)).toBe(failure);
    const beforeBatch = () => Promise.reject(failure);
    const refused = importPosts({ ...world, posts, shares }, busy, lineOf(id, 'post'), { beforeBatch });
    expect(await thrownBy(refused)).toBe(failure);
    expect(begun).toBe(0);
    expect(shares.figures('writes').inUse).toBe(0);
  });
});
