import type { Identity } from '../people/person.ts';

/**
 * Maximum time for a sign-in at the provider, in milliseconds: from the redirect there until the browser comes back.
 */
export const SIGN_IN_FLOW_LIFETIME = 10 * 60_000;

/** A user whom an OpenID provider has signed in. */
export interface ProvenIdentity extends Identity {
  /** The address; null unless the provider has verified it, or the operator trusts its addresses. */
  readonly email: string | null;
}

/**
 * Why a user isn't signed in after coming back from the provider. `unknown`: the e-mail address wasn't invited;
 * `unverified`: the provider hasn't verified it; `expired`: the sign-in took too long, was started again meanwhile, or
 * was already completed; `denied`: the user or the provider refused; `failed`: the log says why.
 */
export type SignInProblem = 'unknown' | 'unverified' | 'expired' | 'denied' | 'failed';

/** An OpenID provider where people sign in. Its errors contain no secrets. */
export interface IdentityProvider {
  /** The name on the sign-in button. */
  readonly name: string;
  /**
   * @param callback where the provider sends the browser back to
   * @returns the URL for the browser, and a secret that only this browser brings back; it can be used once, within
   *   {@link SIGN_IN_FLOW_LIFETIME}
   * @throws Error if the provider is unreachable
   */
  begin(callback: string): Promise<{ readonly address: string; readonly flow: string }>;
  /**
   * @param callback as in {@link begin}
   * @param query the query with which the browser comes back
   * @param flow null if the browser brings none
   * @throws Error unless the provider responds correctly
   */
  finish(callback: string, query: URLSearchParams, flow: string | null): Promise<ProvenIdentity | 'expired' | 'denied'>;
}
