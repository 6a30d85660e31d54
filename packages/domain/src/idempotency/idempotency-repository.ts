import type { Uuid } from '../ids.ts';
import type { KeptAnswer } from './idempotency-key.ts';

export interface IdempotencyClaim {
  readonly id: Uuid;
  /** The token or the person. */
  readonly callerId: Uuid;
  /** Identifies the request that holds the claim; different for every request. */
  readonly owner: string;
}

/**
 * Completes a claim by storing the response in the same transaction as the work. If another owner has taken over the
 * claim meanwhile, neither the work nor the response is stored, and `Refusal` `conflict` is thrown.
 */
export interface IdempotencyCompletion {
  readonly claim: IdempotencyClaim;
  readonly answer: Uint8Array;
  readonly expiresAt: number;
}

export type ClaimOutcome =
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  /** The response, sealed. */
  | { readonly state: 'answered'; readonly answer: Uint8Array };

/** Stores responses for repeated requests. Only one of several concurrent claims succeeds. */
export interface IdempotencyRepository {
  /**
   * Claims a request and removes the caller's oldest responses beyond {@link MAX_KEPT_UNITS}.
   *
   * @param expiresAt when a claim expires that is neither completed nor released
   */
  claim(
    request: Pick<IdempotencyClaim, 'id' | 'callerId'>,
    lease: { readonly owner: string; readonly until: number },
    times: { readonly now: number; readonly expiresAt: number },
  ): Promise<ClaimOutcome>;
  renew(claim: Pick<IdempotencyClaim, 'id' | 'owner'>, until: number): Promise<boolean>;
  release(claim: Pick<IdempotencyClaim, 'id' | 'owner'>): Promise<void>;
  /** Completes a claim in a separate transaction, for work that does no harm if it is done twice. */
  complete(completion: IdempotencyCompletion): Promise<boolean>;
  /** Prunes expired responses, and those of tokens that have ended. Keeps requests that are still being answered. */
  prune(now: number, limit: number): Promise<number>;
}

/** Seals responses, so that the database doesn't reveal keys and responses. */
export interface IdempotencySeals {
  /** Returns a deterministic and unique id. */
  idOf(callerId: Uuid, key: string): Uuid;
  seal(callerId: Uuid, key: string, answer: KeptAnswer): Uint8Array;
  /** @throws Error if the response was sealed for another caller or key, or was changed */
  open(callerId: Uuid, key: string, sealed: Uint8Array): KeptAnswer;
}
