import type { Uuid } from '../ids.ts';
import type { KeptAnswer } from './repeat.ts';

export interface RepeatClaim {
  readonly id: Uuid;
  /** The token or the person. */
  readonly callerId: Uuid;
  /** Each request has its own. */
  readonly owner: string;
}

/**
 * Written in the transaction of the work that it reports. If the claim has another owner by now, neither, and `Refusal`
 * `conflict`.
 */
export interface RepeatCompletion {
  readonly claim: RepeatClaim;
  readonly answer: Uint8Array;
  readonly expiresAt: number;
}

export type ClaimOutcome =
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  /** Sealed. */
  | { readonly state: 'answered'; readonly answer: Uint8Array };

/** Of concurrent claims one succeeds. */
export interface RepeatRepository {
  /**
   * Removes the caller's oldest answers beyond {@link MAX_KEPT_UNITS}. @param expiresAt of a claim that is neither
   * completed nor released
   */
  claim(
    request: Pick<RepeatClaim, 'id' | 'callerId'>,
    lease: { readonly owner: string; readonly until: number },
    times: { readonly now: number; readonly expiresAt: number },
  ): Promise<ClaimOutcome>;
  renew(claim: Pick<RepeatClaim, 'id' | 'owner'>, until: number): Promise<boolean>;
  release(claim: Pick<RepeatClaim, 'id' | 'owner'>): Promise<void>;
  /** By itself, for work that may be done twice. */
  complete(completion: RepeatCompletion): Promise<boolean>;
  /** Expired ones, and those of ended tokens, except under a lease. */
  reap(now: number, limit: number): Promise<number>;
}

/** So that the database doesn't reveal keys and answers. */
export interface RepeatSeals {
  /** Deterministic and unique. */
  idOf(callerId: Uuid, key: string): Uuid;
  seal(callerId: Uuid, key: string, answer: KeptAnswer): Uint8Array;
  /** @throws Error if it was sealed for others, or changed */
  open(callerId: Uuid, key: string, sealed: Uint8Array): KeptAnswer;
}
