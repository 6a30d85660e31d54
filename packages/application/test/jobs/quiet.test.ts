import { beforeEach, describe, expect, test } from 'bun:test';
import { limitWork, type WorkKind } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { FairShares, watchQuiet } from '../../src/index.ts';

const never = new AbortController().signal;
const workspaceId = newId();

let shares: FairShares;
let now: number;
let isIdle: boolean;
let isQuiet: () => boolean;

beforeEach(() => {
  const sizes = { uploads: 4, uploadsPerWorkspace: 4, imports: 1, importsPerWorkspace: 1, scans: 1, writes: 1 };
  shares = new FairShares(limitWork(sizes));
  [now, isIdle] = [0, true];
  isQuiet = watchQuiet(
    { shares },
    () => isIdle,
    () => now,
  );
});

const take = (kind: WorkKind) => shares.take(kind, workspaceId, never);

describe('a process', () => {
  test('is quiet at its start', () => {
    expect(isQuiet()).toBe(true);
  });

  test('is not quiet while a request is served, and is quiet immediately afterwards', () => {
    isIdle = false;
    expect(isQuiet()).toBe(false);
    isIdle = true;
    expect(isQuiet()).toBe(true);
  });

  test('is not quiet while files are uploaded, nor for a second after the last check that saw an upload', async () => {
    const releaseSlot = await take('uploads');
    for (const _ of [1, 2]) {
      now += 10_000;
      expect(isQuiet()).toBe(false);
    }
    releaseSlot();
    now += 999;
    expect(isQuiet()).toBe(false);
    now += 1;
    expect(isQuiet()).toBe(true);
  });

  test('is not quiet after an upload that began and ended between two checks', async () => {
    expect(isQuiet()).toBe(true);
    (await take('uploads'))();
    now += 60_000;
    expect(isQuiet()).toBe(false);
    now += 1000;
    expect(isQuiet()).toBe(true);
  });

  test('is quiet while previews are made, but not while a request waits for one', async () => {
    const held = [await take('previews'), await take('previews')];
    expect(isQuiet()).toBe(true);
    const waiting = take('previews');
    expect(isQuiet()).toBe(false);
    for (const releaseSlot of held) releaseSlot();
    const releaseSlot = await waiting;
    expect(isQuiet()).toBe(true);
    releaseSlot();
  });
});
