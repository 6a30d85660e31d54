import type { Uuid } from '../ids.ts';
import type { KeptAnswer } from './repeat.ts';

export interface RepeatClaim {
  /** {@link RepeatSeals.idOf} token and key. */
  readonly id: Uuid;
  readonly tokenId: Uuid;
  /** Of the lease; each request has its own. */
  readonly owner: string;
}

/**
 * Written in the transaction of the work that it reports, so after a kill there are both or neither. If the claim has
 * another owner by now, neither, and `Refusal` `conflict`.
 */
export interface RepeatCompletion {
  readonly claim: RepeatClaim;
  /** Sealed: see {@link RepeatSeals}. */
  readonly answer: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type ClaimOutcome =
  | { readonly state: 'claimed' }
  /** Under another owner's lease that hasn't expired. */
  | { readonly state: 'running' }
  /** Sealed. */
  | { readonly state: 'answered'; readonly answer: Uint8Array };

/**
 * Under a lease while a request is answered, then with its answer until that expires. Of concurrent claims one
 * succeeds.
 */
export interface RepeatRepository {
  /**
   * Claims a request without answer and owner. Removes the token's oldest answers beyond {@link MAX_KEPT_UNITS}.
   *
   * @param expiresAt when a claim that is neither completed nor released is removed
   */
  claim(
    request: Pick<RepeatClaim, 'id' | 'tokenId'>,
    lease: { readonly owner: string; readonly until: number },
    times: { readonly now: number; readonly expiresAt: number },
  ): Promise<ClaimOutcome>;
  /** False if the owner doesn't hold it (any more). */
  renew(claim: Pick<RepeatClaim, 'id' | 'owner'>, until: number): Promise<boolean>;
  /** Does nothing if the owner doesn't hold it, also because the request was completed. */
  release(claim: Pick<RepeatClaim, 'id' | 'owner'>): Promise<void>;
  /** By itself, for work that may be done twice. False if the claim has another owner. */
  complete(completion: RepeatCompletion): Promise<boolean>;
  /**
   * Removes requests that expired or whose token ended, except those under a lease.
   *
   * @returns how many
   */
  reap(now: number, limit: number): Promise<number>;
}

/** Encrypts keys and answers, which the database so doesn't reveal. */
export interface RepeatSeals {
  /** Deterministic and unique. */
  idOf(tokenId: Uuid, key: string): Uuid;
  seal(tokenId: Uuid, key: string, answer: KeptAnswer): Uint8Array;
  /** @throws Error if it was sealed for others, or changed since */
  open(tokenId: Uuid, key: string, sealed: Uint8Array): KeptAnswer;
}
