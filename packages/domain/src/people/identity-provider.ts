import type { Identity } from './person.ts';

/** From leaving for the provider to coming back. Milliseconds. */
export const SIGN_IN_FLOW_LIFETIME = 10 * 60_000;

/** Somebody whom an OpenID provider has signed in. */
export interface ProvenIdentity extends Identity {
  /** null unless the provider has verified it. */
  readonly email: string | null;
}

/**
 * Why somebody who comes from the provider isn't signed in. `unknown`: nobody was invited by the e-mail address;
 * `unverified`: the provider hasn't verified it; `expired`: it took too long, was begun again meanwhile, or has come back
 * before; `denied`: the person or the provider refused; `failed`: the log says why.
 */
export type SignInProblem = 'unknown' | 'unverified' | 'expired' | 'denied' | 'failed';

/** An OpenID provider, where people sign in. Its errors hold no secrets. */
export interface IdentityProvider {
  /** For the button that leads there. */
  readonly name: string;
  /**
   * @param callback where the provider sends the browser back to
   * @returns where the browser goes, and a secret that it alone brings back, good once, for {@link SIGN_IN_FLOW_LIFETIME}
   * @throws Error if the provider is out of reach
   */
  begin(callback: string): Promise<{ readonly address: string; readonly flow: string }>;
  /**
   * @param callback as in {@link begin}
   * @param query with which the browser comes back
   * @param flow null if it brings none
   * @throws Error unless the provider answers, and what it says is right
   */
  finish(callback: string, query: URLSearchParams, flow: string | null): Promise<ProvenIdentity | 'expired' | 'denied'>;
}
