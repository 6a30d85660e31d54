import { useLinkFailure } from './link-code.ts';

/** Messages for the codes by which the service says why a provider sign-in failed. */
const FAILURES: Readonly<Record<string, string>> = {
  unknown: 'Your account isn’t registered here. Ask a manager for an invitation.',
  unverified:
    'Your e-mail address isn’t verified. Verify it with your provider, then sign in again. If your provider verifies no ' +
    'addresses, the operator of this service can set OIDC_TRUST_EMAIL.',
  expired: 'Signing in took too long or was already completed. Try again.',
  denied: 'Your provider didn’t let you in. Try again, or sign in another way.',
};

/** Returns why a provider sign-in failed; null if none did. */
export function useSignInFailure(): string | null {
  const failure = useLinkFailure();
  return failure && (FAILURES[failure] ?? 'Signing in failed. Try again in a few minutes.');
}
