import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Profile, Refusal, type Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { importPosts, MAX_REJECTIONS, type PostLine } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addProfile, PUBLISHED } from '../support/posts.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let profile: Profile;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  profile = await addProfile(world, workspace);
});

const line = (number: number, { id }: Profile, fields: object = {}): PostLine => ({
  number,
  post: { profileId: id, externalId: String(number), publishedAt: PUBLISHED, ...fields },
});

async function* from(lines: Iterable<PostLine>): AsyncGenerator<PostLine> {
  yield* lines;
}

const many = (count: number): PostLine[] => Array.from({ length: count }, (_, index) => line(index + 1, profile));
const countKept = async () => (await world.posts.list(workspace.id, {}, { offset: 0, limit: 1 })).total;

describe('an import', () => {
  test('stores or rejects each line separately, and reports the numbers of rejected lines in order', async () => {
    const stranger = await addProfile(world, await addWorkspace(world));
    const malformed = { published_at: ['The published at field is required.'] };
    const report = await importPosts(
      world,
      workspace,
      from([
        line(1, profile),
        line(3, profile, { mediaIds: [world.ids.next()] }),
        { number: 4, errors: malformed, named: { profile: profile.id } },
        { number: 5, errors: malformed, named: { profile: stranger.id } },
        line(6, stranger),
        line(7, profile, { externalId: '1', metrics: { likes: 3 } }),
        line(8, profile, { externalId: '1' }),
      ]),
    );
    expect(report).toEqual({
      lines: 7,
      created: 1,
      updated: 1,
      unchanged: 1,
      rejected: 4,
      rejections: [
        {
          line: 3,
          message: 'The selected media item is invalid.',
          errors: { 'media_content_ids.0': ['The selected media item is invalid.'] },
        },
        { line: 4, message: 'The published at field is required.', errors: malformed },
        {
          line: 5,
          message: 'The selected profile is invalid. (and 1 more error)',
          errors: { profile: ['The selected profile is invalid.'], ...malformed },
        },
        {
          line: 6,
          message: 'The selected profile is invalid.',
          errors: { profile: ['The selected profile is invalid.'] },
        },
      ],
    });
  });

  test('names the first hundred rejected lines and counts the others', async () => {
    const errors = { line: ['The line must be a JSON object.'] };
    const lines = Array.from({ length: 777 }, (_, index): PostLine => ({ number: index + 1, errors, named: {} }));
    const { rejected, rejections } = await importPosts(world, workspace, from(lines));
    expect(rejected).toBe(777);
    expect(rejections.map((one) => one.line)).toEqual(Array.from({ length: MAX_REJECTIONS }, (_, index) => index + 1));
  });

  test('that is interrupted keeps its complete batches, whose lines and text are limited', async () => {
    const sizes: number[] = [];
    const posts = replacing(world.posts, {
      upsert: (batch, now) => {
        sizes.push(batch.length);
        return world.posts.upsert(batch, now);
      },
    });
    const brokenOff = new Refusal({ code: 'malformed', message: 'The request body ended early.' });
    async function* lines(): AsyncGenerator<PostLine> {
      yield* many(700);
      yield line(701, profile, { text: 'x'.repeat(300_000) });
      yield line(702, profile, { text: 'x'.repeat(300_000) });
      yield line(703, profile);
      throw brokenOff;
    }
    expect(await thrownBy(importPosts({ ...world, posts }, workspace, lines()))).toBe(brokenOff);
    expect(sizes).toEqual([250, 250, 202]);
    expect(await countKept()).toBe(702);
  });
});

describe('an import whose lines take long to process', () => {
  /** Blocks the thread for this long, as a long computation does. */
  function work(milliseconds: number): void {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  }

  test('yields to the event loop between lines', async () => {
    const profiles = replacing(world.profiles, {
      // With a real database, each call would yield to the event loop. This function only blocks the thread.
      find: async () => {
        work(2);
        return profile;
      },
    });
    const wrong = { published_at: ['The published at field is required.'] };
    const lines = Array.from({ length: MAX_REJECTIONS }, (_, index) => ({
      number: index + 1,
      errors: wrong,
      named: { profile: profile.id },
    }));
    let isOver = false;
    const report = importPosts({ ...world, profiles }, workspace, from(lines)).finally(() => {
      isOver = true;
    });
    let turns = 0;
    for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect((await report).rejections).toHaveLength(MAX_REJECTIONS);
    // The lines take 200 ms in total. Each turn takes 5 ms, plus one line at most.
    expect(turns).toBeGreaterThan(MAX_REJECTIONS / 5);
  });
});
