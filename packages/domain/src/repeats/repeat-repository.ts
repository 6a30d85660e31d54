import type { Uuid } from '../ids.ts';
import type { KeptAnswer } from './repeat.ts';

/** A repeatable request, and the owner that answers it. */
export interface RepeatClaim {
  /** Derived from token and key by {@link RepeatSeals.idOf}. */
  readonly id: Uuid;
  readonly tokenId: Uuid;
  /** The owner of the lease; each request has its own. */
  readonly owner: string;
}

/**
 * The answer to a claimed request. Repositories write it in the same transaction as the work that it reports, so that
 * after a kill there are both or neither. If the claim has another owner by now, they write neither and throw `Refusal`
 * `conflict`.
 */
export interface RepeatCompletion {
  readonly claim: RepeatClaim;
  /** Sealed: see {@link RepeatSeals}. */
  readonly answer: Uint8Array;
  /** When the answer is removed, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type ClaimOutcome =
  | { readonly state: 'claimed' }
  /** Being answered by another owner, under a lease that hasn't expired. */
  | { readonly state: 'running' }
  /** Sealed. */
  | { readonly state: 'answered'; readonly answer: Uint8Array };

/**
 * Repeatable requests: under a lease while they are answered, then with their answer until it expires. An expired lease
 * counts as none. Of concurrent claims of the same request, also from several processes, one succeeds.
 */
export interface RepeatRepository {
  /**
   * Claims a request, unless it has an answer or another owner. Removes the token's oldest answers beyond {@link
   * MAX_KEPT_UNITS}.
   *
   * @param expiresAt when the claim itself is removed if it is neither completed nor released
   */
  claim(
    request: Pick<RepeatClaim, 'id' | 'tokenId'>,
    lease: { readonly owner: string; readonly until: number },
    times: { readonly now: number; readonly expiresAt: number },
  ): Promise<ClaimOutcome>;
  /** Extends the lease. False if its owner doesn't hold it (any more). */
  renew(claim: Pick<RepeatClaim, 'id' | 'owner'>, until: number): Promise<boolean>;
  /**
   * Frees the key again. Does nothing if the owner doesn't hold it (any more), also because the request was completed.
   */
  release(claim: Pick<RepeatClaim, 'id' | 'owner'>): Promise<void>;
  /** Stores an answer by itself, for work that may safely be done twice. False if the claim has another owner. */
  complete(completion: RepeatCompletion): Promise<boolean>;
  /**
   * Removes at most `limit` requests that expired or whose token was revoked or expired, except those under a lease.
   *
   * @returns how many
   */
  reap(now: number, limit: number): Promise<number>;
}

/** Encrypts keys and answers, so that the database doesn't reveal them. */
export interface RepeatSeals {
  /** The id of a token and a key: deterministic and unique. */
  idOf(tokenId: Uuid, key: string): Uuid;
  seal(tokenId: Uuid, key: string, answer: KeptAnswer): Uint8Array;
  /** @throws Error if it wasn't sealed for this token and key, or was changed since */
  open(tokenId: Uuid, key: string, sealed: Uint8Array): KeptAnswer;
}
