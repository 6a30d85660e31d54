import { afterEach, beforeEach, expect, test } from 'bun:test';
import { KEY_LIFETIME, notFound, type Uuid } from '@postshelf/domain';
import { refusalOf } from '@postshelf/testing/contracts/refusals';
import { newId, sampleFolder, sampleToken } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { answerOnce, collectGarbage, type RepeatableRequest } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspaceId: Uuid;
let callerId: Uuid;
let hasLeft: boolean;
/** How often the work was done, and how often `readRest` was called. */
let done: number;
let read: number;

const ANSWER = { status: 201, body: '{"data":"answer"}' };
const KEPT_ANSWER = expect.objectContaining(ANSWER);

beforeEach(async () => {
  const { workspace, ...opened } = await inhabitedWorld();
  world = opened;
  workspaceId = workspace.id;
  const token = sampleToken([workspaceId], { expiresAt: world.clock.now() + 10 * KEY_LIFETIME });
  await world.tokens.insert(token);
  callerId = token.id;
  [done, read] = [0, 0];
  hasLeft = false;
});

const callerOf = (id: Uuid): RepeatableRequest['caller'] => ({
  id,
  entered: [workspaceId],
  reenter: (workspaceIds) => {
    expect(workspaceIds).toEqual([workspaceId]);
    if (hasLeft) throw notFound();
  },
});

const request = (key = 'key', fingerprint = 'request'): RepeatableRequest => ({
  caller: callerOf(callerId),
  key,
  readRest: async () => {
    read += 1;
  },
  fingerprint: () => fingerprint,
});

const invalidKey = { code: 'invalid', errors: { idempotency_key: [expect.any(String)] } };

type Work = Parameters<typeof answerOnce>[2];

/** Creates a folder, and stores the answer in the same transaction. */
const makeFolder: Work = async (complete) => {
  await world.folders.insert(sampleFolder(workspaceId), complete(ANSWER));
  done += 1;
  return ANSWER;
};

/** Does work that has no transaction in which its answer could be stored. */
const confirm: Work = async () => {
  done += 1;
  return ANSWER;
};

test.each([
  ['in the transaction of its work', makeFolder],
  ['after work without a transaction', confirm],
])('answerOnce stores an answer %s for a day, and replays it only to the same request and token', async (_, work) => {
  expect(await answerOnce(world, request(), work)).toEqual({ answer: ANSWER, isReplayed: false });
  expect({ done, read }).toEqual({ done: 1, read: 0 });
  expect(await answerOnce(world, request(), work)).toEqual({ answer: KEPT_ANSWER, isReplayed: true });
  expect(await refusalOf(answerOnce(world, request('key', 'other'), work))).toMatchObject(invalidKey);
  expect({ done, read }).toEqual({ done: 1, read: 2 });
  const other = sampleToken([workspaceId]);
  await world.tokens.insert(other);
  expect((await answerOnce(world, { ...request(), caller: callerOf(other.id) }, work)).isReplayed).toBe(false);
  expect((await answerOnce(world, request('another'), work)).isReplayed).toBe(false);
  world.clock.advance(KEY_LIFETIME - 1);
  expect((await answerOnce(world, request(), work)).isReplayed).toBe(true);
  world.clock.advance(1);
  expect((await answerOnce(world, request('key', 'other'), work)).isReplayed).toBe(false);
});

test.each([
  ['in the transaction of its work', makeFolder],
  ['after work without a transaction', confirm],
])('answerOnce stores only the permitted part of an answer %s', async (_, work) => {
  const strip = () => ({ status: 201, body: '{}' });
  expect((await answerOnce(world, { ...request(), strip }, work)).answer).toEqual(ANSWER);
  expect((await answerOnce(world, { ...request(), strip }, work)).answer).toMatchObject(strip());
});

test('answerOnce refuses a repeat while the first request is being answered', async () => {
  await answerOnce(world, request(), async (complete) => {
    expect(await refusalOf(answerOnce(world, request(), makeFolder))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(answerOnce(world, request('key', 'other'), makeFolder))).toMatchObject({ code: 'conflict' });
    return makeFolder(complete);
  });
  expect(done).toBe(1);
});

test('answerOnce frees the key if the work fails, unless the answer is already stored', async () => {
  const fail = () => Promise.reject(new Error('Broken.'));
  expect(await outcomeOf(answerOnce(world, request(), fail))).toThrow('Broken.');
  const failBehind: Work = async (complete) => {
    await makeFolder(complete);
    return fail();
  };
  expect(await outcomeOf(answerOnce(world, request(), failBehind))).toThrow('Broken.');
  expect(await answerOnce(world, request(), makeFolder)).toEqual({ answer: KEPT_ANSWER, isReplayed: true });
  expect(done).toBe(1);
});

test('answerOnce repeats work whose lease has expired, and does not store its late result', async () => {
  const began = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const late = answerOnce(world, request(), async (complete) => {
    began.resolve();
    await goOn.promise;
    return makeFolder(complete);
  });
  await began.promise;
  world.clock.advance(30_000);
  expect((await answerOnce(world, request(), makeFolder)).isReplayed).toBe(false);
  // The first process was only slow, not killed. It has lost the key, so its folder isn't stored.
  goOn.resolve();
  expect(await refusalOf(late)).toMatchObject({ code: 'conflict' });
  expect(done).toBe(1);
  expect((await world.folders.list(workspaceId, {}, { offset: 0, limit: 9 })).total).toBe(1);
});

test('garbage collection deletes expired answers', async () => {
  for (const key of ['one', 'two']) await answerOnce(world, request(key), makeFolder);
  const claim = { id: newId(), callerId: callerId, owner: 'looking' };
  await collectGarbage(world);
  world.clock.advance(KEY_LIFETIME);
  await world.idempotency.claim(claim, { owner: 'looking', until: world.clock.now() + 1 }, { now: 0, expiresAt: 1 });
  await collectGarbage(world);
  expect(await world.idempotency.prune(world.clock.now() + 1, 9)).toBe(1);
});

test('answerOnce hides a stored answer from a caller who has lost access to the workspace', async () => {
  await answerOnce(world, request(), makeFolder);
  hasLeft = true;
  expect(await refusalOf(answerOnce(world, request(), makeFolder))).toEqual({ code: 'not_found' });
  hasLeft = false;
  expect((await answerOnce(world, request(), makeFolder)).isReplayed).toBe(true);
  expect(done).toBe(1);
});
