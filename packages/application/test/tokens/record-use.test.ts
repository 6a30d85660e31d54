import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type AccessToken, LAST_USED_GRANULARITY } from '@postshelf/domain';
import { sampleToken } from '@postshelf/testing/contracts/samples';
import { recordUse } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { until } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let token: AccessToken;

beforeEach(async () => {
  const { workspace, ...rest } = await inhabitedWorld();
  world = rest;
  token = { ...sampleToken([workspace.id]), lastUsedAt: null };
  await world.tokens.insert(token);
});

const never = (cause: unknown): void => {
  throw cause;
};

/** Uses the token as a request does after it has read the token's row. */
async function use(note: (token: AccessToken) => void): Promise<void> {
  note((await world.tokens.find(token.id)) ?? token);
}

const lastUse = async (): Promise<number | null | undefined> => (await world.tokens.find(token.id))?.lastUsedAt;

test('the first use of a token is recorded', async () => {
  await use(recordUse(world.tokens, world.clock, never));
  await until(async () => (await lastUse()) === world.clock.now());
});

test('a later use of a token is recorded only if the last recorded use is at least a minute old', async () => {
  const touches: number[] = [];
  const tokens = replacing(world.tokens, {
    touch: async (id, at) => {
      touches.push(at);
      await world.tokens.touch(id, at);
    },
  });
  const note = recordUse(tokens, world.clock, never);
  const first = world.clock.now();
  for (const passed of [0, 1, LAST_USED_GRANULARITY - 1, LAST_USED_GRANULARITY, LAST_USED_GRANULARITY + 1]) {
    world.clock.set(first + passed);
    await use(note);
  }
  expect(touches).toEqual([first, first + LAST_USED_GRANULARITY]);
});

test('concurrent uses of a token cause one write, and no request waits for it', async () => {
  let touches = 0;
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const tokens = replacing(world.tokens, {
    touch: () => {
      touches += 1;
      return written;
    },
  });
  const note = recordUse(tokens, world.clock, never);
  for (let request = 0; request < 10; request += 1) await use(note);
  expect(touches).toBe(1);
  write();
});

test("a use that can't be recorded is reported, and retried a minute later", async () => {
  const cause = new Error('the database is locked');
  let touches = 0;
  const tokens = replacing(world.tokens, {
    touch: (id, at) => {
      touches += 1;
      return touches === 1 ? Promise.reject(cause) : world.tokens.touch(id, at);
    },
  });
  const reported: unknown[] = [];
  const note = recordUse(tokens, world.clock, (...what) => reported.push(what));
  for (let request = 0; request < 10; request += 1) await use(note);
  expect({ touches, reported }).toEqual({ touches: 1, reported: [[cause, token.id]] });
  world.clock.set(world.clock.now() + LAST_USED_GRANULARITY);
  await use(note);
  await until(async () => (await lastUse()) === world.clock.now());
});
