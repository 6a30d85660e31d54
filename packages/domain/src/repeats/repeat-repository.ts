import type { Uuid } from '../ids.ts';
import type { KeptAnswer } from './repeat.ts';

/** A request that may be repeated, and who answers it. */
export interface RepeatClaim {
  /** Stands for a token and a key: {@link RepeatSeals.idOf}. */
  readonly id: Uuid;
  readonly tokenId: Uuid;
  /** Of the lease; each request has its own. */
  readonly owner: string;
}

/**
 * The answer to a claimed request. Repositories take it beside the work that it reports and write both in one transaction,
 * so that a kill leaves both or neither. Where the claim has another owner by now, they keep neither and throw `Refusal`
 * `conflict`.
 */
export interface RepeatCompletion {
  readonly claim: RepeatClaim;
  /** Sealed: see {@link RepeatSeals}. */
  readonly answer: Uint8Array;
  /** Milliseconds since the epoch: forgotten from then on. */
  readonly expiresAt: number;
}

export type ClaimOutcome =
  | { readonly state: 'claimed' }
  /** By this owner, under a lease that hasn't ended. */
  | { readonly state: 'running'; readonly owner: string }
  /** Sealed. */
  | { readonly state: 'answered'; readonly answer: Uint8Array };

/**
 * Requests that may be repeated: under a lease while they are answered, then with their answer until it expires. A lease
 * that ended counts as none. Of those who claim the same request at once, also from two processes, one gets it.
 */
export interface RepeatRepository {
  /**
   * Claims a request, unless it has an answer or another owner. Forgets the token's oldest answers that take up more than
   * {@link MAX_KEPT_UNITS}.
   *
   * @param expiresAt when the claim itself is forgotten, if nobody completes or releases it
   */
  claim(
    request: Pick<RepeatClaim, 'id' | 'tokenId'>,
    lease: { readonly owner: string; readonly until: number },
    times: { readonly now: number; readonly expiresAt: number },
  ): Promise<ClaimOutcome>;
  /** Prolongs the lease. False when its owner doesn't hold it (any more). */
  renew(claim: Pick<RepeatClaim, 'id' | 'owner'>, until: number): Promise<boolean>;
  /** Makes the key free again. Does nothing when the owner doesn't hold it (any more), as when it was completed. */
  release(claim: Pick<RepeatClaim, 'id' | 'owner'>): Promise<void>;
  /** Keeps an answer alone, where doing the work twice does no harm. False when the claim has another owner. */
  complete(completion: RepeatCompletion): Promise<boolean>;
  /**
   * Removes at most `limit` of those that expired, and of tokens that were revoked or expired, but for those under a lease.
   *
   * @returns how many
   */
  reap(now: number, limit: number): Promise<number>;
}

/** Encrypts keys and answers, so that the database doesn't reveal them. */
export interface RepeatSeals {
  /** The id of a token and a key: always the same, and unique. */
  idOf(tokenId: Uuid, key: string): Uuid;
  seal(tokenId: Uuid, key: string, answer: KeptAnswer): Uint8Array;
  /** @throws Error when it was not sealed for this token and key, or was changed since */
  open(tokenId: Uuid, key: string, sealed: Uint8Array): KeptAnswer;
}
