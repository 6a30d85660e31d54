import { describe, expect, test } from 'bun:test';
import {
  type ClaimOutcome,
  type IdempotencyClaim,
  type IdempotencyCompletion,
  KEPT_UNIT,
  MAX_KEPT_UNITS,
  type Uuid,
} from '@postshelf/domain';
import { SAMPLE_IMPORT } from '../job-samples.ts';
import { addProfile, samplePost, sampleProfile } from '../posts/samples.ts';
import { sampleUpload } from '../presign-repository/samples.ts';
import { testRace } from '../race.ts';
import { refusalOf } from '../refusals.ts';
import { addWorkspace, NOW, newId, sampleFolder, sampleImage, sampleProcessing, sampleToken } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const LEASE = 1_000;
const KEPT = 100_000;

/**
 * Does work and stores its answer in the same transaction. Returns a function that checks whether the work was done.
 */
type Work = (stores: Stores, workspaceId: Uuid, completion: IdempotencyCompletion) => Promise<() => Promise<boolean>>;

const isThere = async (found: Promise<unknown>): Promise<boolean> => (await found) !== null;

const WORK: Readonly<Record<string, Work>> = {
  'a folder': async ({ folders }, workspaceId, completion) => {
    const folder = sampleFolder(workspaceId);
    await folders.insert(folder, completion);
    return () => isThere(folders.find(folder.id));
  },
  'an item': async ({ media }, workspaceId, completion) => {
    const item = sampleImage(workspaceId);
    await media.insert([item], [], completion);
    return () => isThere(media.find(item.id));
  },
  'an item that may be a duplicate': async ({ uploads, media }, workspaceId, completion) => {
    const item = sampleImage(workspaceId);
    await uploads.insertNew(workspaceId, [{ item, cover: null }], [], () => completion);
    return () => isThere(media.find(item.id));
  },
  'an import': async ({ processing, media }, workspaceId, completion) => {
    const item = sampleProcessing(workspaceId);
    await processing.begin(item, { kind: 'import', payload: SAMPLE_IMPORT }, { dueAt: NOW }, completion);
    return () => isThere(media.find(item.id));
  },
  'presigned uploads': async ({ presign }, workspaceId, completion) => {
    const upload = sampleUpload(workspaceId);
    await presign.add([upload], completion);
    return () => isThere(presign.find(upload.item.id));
  },
  'a profile': async ({ profiles }, workspaceId, completion) => {
    const profile = sampleProfile(workspaceId);
    await profiles.insert(profile, completion);
    return () => isThere(profiles.find(profile.id));
  },
  'a post': async (stores, workspaceId, completion) => {
    const post = samplePost(await addProfile(stores, workspaceId));
    await stores.posts.insert(post, completion);
    return () => isThere(stores.posts.find(post.id));
  },
};

/** The contract of {@link IdempotencyRepository}, and of every repository that stores an answer with its work. */
export function describeIdempotencyRepository(name: string, open: OpenStores): void {
  describe(`${name}: repeatable requests`, () => {
    const stores = storesOfEachTest(open);

    const addToken = async (): Promise<Uuid> => {
      const token = sampleToken([(await addWorkspace(stores.one)).id], { expiresAt: NOW + 10 * KEPT });
      await stores.one.tokens.insert(token);
      return token.id;
    };
    const claimOf = (callerId: Uuid, owner = 'one', id = newId()): IdempotencyClaim => ({ id, callerId, owner });
    const claim = ({ idempotency }: Stores, wanted: IdempotencyClaim, now = NOW): Promise<ClaimOutcome> =>
      idempotency.claim(wanted, { owner: wanted.owner, until: now + LEASE }, { now, expiresAt: now + KEPT });
    const completionOf = (
      claimed: IdempotencyClaim,
      answer: Uint8Array = Buffer.from('answer'),
    ): IdempotencyCompletion => ({
      claim: claimed,
      answer,
      expiresAt: NOW + KEPT,
    });
    const stateOf = async (wanted: IdempotencyClaim, now = NOW): Promise<string> =>
      (await claim(stores.two, { ...wanted, owner: 'looking' }, now)).state;

    test('are claimed by one owner until its lease ends, which it may prolong', async () => {
      const one = claimOf(await addToken());
      const two = { ...one, owner: 'two' };
      expect(await claim(stores.one, one)).toEqual({ state: 'claimed' });
      expect(await claim(stores.two, two)).toEqual({ state: 'running' });
      expect(await claim(stores.two, two, NOW + LEASE - 1)).toEqual({ state: 'running' });
      expect(await stores.two.idempotency.renew(two, NOW + 9 * LEASE)).toBe(false);
      expect(await stores.one.idempotency.renew(one, NOW + 2 * LEASE)).toBe(true);
      expect(await claim(stores.two, two, NOW + LEASE)).toEqual({ state: 'running' });
      expect(await claim(stores.two, two, NOW + 2 * LEASE)).toEqual({ state: 'claimed' });
      // The owner that lost the lease can't change anything any more.
      expect(await stores.one.idempotency.renew(one, NOW + 9 * LEASE)).toBe(false);
      expect(await stores.one.idempotency.complete(completionOf(one))).toBe(false);
      await stores.one.idempotency.release(one);
      expect(await stateOf(one, NOW + 2 * LEASE)).toBe('running');
    });

    test('return the same answer until they expire, and are free once they are released', async () => {
      const one = claimOf(await addToken());
      await claim(stores.one, one);
      await stores.one.idempotency.release(one);
      expect(await claim(stores.two, one)).toEqual({ state: 'claimed' });
      expect(await stores.two.idempotency.complete(completionOf(one))).toBe(true);
      await stores.two.idempotency.release(one);
      const outcome = await claim(stores.one, claimOf(one.callerId, 'two', one.id), NOW + KEPT - 1);
      expect(outcome.state === 'answered' && Buffer.from(outcome.answer).toString()).toBe('answer');
      expect(await stateOf(one, NOW + KEPT)).toBe('claimed');
    });

    testRace(stores, 'are claimed by one of two concurrent callers', async (race) => {
      const wanted = claimOf(await addToken());
      const outcomes = await race(
        (first) => claim(first, wanted),
        (second) => claim(second, { ...wanted, owner: 'two' }),
      );
      expect(outcomes.map(({ state }) => state).sort()).toEqual(['claimed', 'running']);
    });

    test.each(Object.entries(WORK))('are answered in the transaction that keeps %s, or not at all', async (_, work) => {
      const { id: workspaceId } = await addWorkspace(stores.one);
      const tokenId = await addToken();
      const [lost, held] = [claimOf(tokenId), claimOf(tokenId)];
      await claim(stores.one, lost);
      await claim(stores.two, { ...lost, owner: 'two' }, NOW + LEASE);
      let wasDone: (() => Promise<boolean>) | null = null;
      const failing = work(stores.one, workspaceId, completionOf(lost)).then((done) => {
        wasDone = done;
      });
      expect(await refusalOf(failing)).toMatchObject({ code: 'conflict' });
      expect(wasDone).toBeNull();
      await claim(stores.one, held);
      expect(await (await work(stores.one, workspaceId, completionOf(held)))()).toBe(true);
      expect(await stateOf(held)).toBe('answered');
      // The failed work left nothing behind.
      expect((await stores.one.folders.list(workspaceId, {}, { offset: 0, limit: 9 })).total).toBeLessThan(2);
      expect((await stores.one.media.list(workspaceId, {}, { offset: 0, limit: 9 })).total).toBeLessThan(2);
      expect((await stores.one.posts.list(workspaceId, {}, { offset: 0, limit: 9 })).total).toBeLessThan(2);
    });

    test('lose only the oldest answers of a token beyond its limit', async () => {
      const [tokenId, other] = [await addToken(), await addToken()];
      const large = Buffer.alloc((MAX_KEPT_UNITS / 10) * KEPT_UNIT);
      const add = async (of: Uuid): Promise<IdempotencyClaim> => {
        const claimed = claimOf(of);
        await claim(stores.one, claimed);
        await stores.one.idempotency.complete(completionOf(claimed, large));
        return claimed;
      };
      const foreign = await add(other);
      const running = claimOf(tokenId);
      await claim(stores.one, running);
      const kept: IdempotencyClaim[] = [];
      for (let count = 0; count < 12; count += 1) kept.push(await add(tokenId));
      expect(await stateOf(running)).toBe('running');
      expect(await Promise.all(kept.slice(-8).map((each) => stateOf(each)))).toEqual(Array(8).fill('answered'));
      expect(await stateOf(foreign)).toBe('answered');
      const [first] = kept;
      expect(first && (await stateOf(first))).toBe('claimed');
    });

    test('are pruned once they expired, or their token expired or was revoked, unless they are leased', async () => {
      const [live, revoked] = [await addToken(), await addToken()];
      const short = sampleToken([(await addWorkspace(stores.one)).id], { expiresAt: NOW + 1 });
      await stores.one.tokens.insert(short);
      const answered = async (tokenId: Uuid): Promise<IdempotencyClaim> => {
        const claimed = claimOf(tokenId);
        await claim(stores.one, claimed);
        await stores.one.idempotency.complete(completionOf(claimed));
        return claimed;
      };
      const [ofLive, ofRevoked, ofShort] = [await answered(live), await answered(revoked), await answered(short.id)];
      const running = claimOf(revoked);
      await claim(stores.one, running);
      expect(await stores.two.idempotency.prune(NOW, 10)).toBe(0);
      await stores.one.tokens.revoke(revoked, NOW);
      // The revocation takes effect immediately, not only with the next pruning.
      expect(await stateOf(ofRevoked)).toBe('claimed');
      expect(await stores.one.idempotency.complete(completionOf(running))).toBe(true);
      expect(await stores.two.idempotency.prune(NOW + LEASE, 1)).toBe(1);
      expect(await stores.two.idempotency.prune(NOW + LEASE, 10)).toBe(2);
      expect(await stateOf(ofShort, NOW + 1)).toBe('claimed');
      expect(await stateOf(ofLive)).toBe('answered');
      expect(await stores.two.idempotency.prune(NOW + KEPT - 1, 1)).toBe(1);
      expect(await stateOf(ofShort, NOW + 1)).toBe('claimed');
      // Callers stop after a batch that isn't full, so it contains both what expired and what has no token any more.
      expect(await stores.two.idempotency.prune(NOW + KEPT, 10)).toBe(2);
    });
  });
}
