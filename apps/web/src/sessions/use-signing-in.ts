import type { SignInOptions } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { client, isSignedOut, isUnreachable, sentenceOf } from '../service/service.ts';
import { browserName } from './browser-name.ts';

/** The error messages for a refused token or code. */
const NOT_GOOD = {
  token: 'This access token isn’t valid. It may be mistyped, expired or revoked.',
  code: 'This link has already been used or has expired. Ask for a new one, or sign in with an access token.',
};

/**
 * Returns a function that exchanges a token or a link's code for a session.
 *
 * @param onSignedIn makes the page show the new session
 * @returns also `again`, which sends a link's code again after a failure that leaves it valid; null after others. The
 *   page has no other copy of the code.
 */
export function useSigningIn(onSignedIn: () => Promise<void>) {
  const { mutate, error, variables, isPending, reset } = useMutation({
    mutationFn: (credential: SignInOptions) => client.signIn({ ...credential, name: browserName(navigator.userAgent) }),
    onSuccess: onSignedIn,
  });
  const isCode = variables !== undefined && 'code' in variables;
  const problemOf = (failure: Error): string => {
    if (isSignedOut(failure)) return isCode ? NOT_GOOD.code : NOT_GOOD.token;
    return isUnreachable(failure) ? 'Can’t reach the server. Try again.' : sentenceOf(failure);
  };
  return {
    signIn: mutate,
    isPending,
    reset,
    problem: error && problemOf(error),
    again: isCode && error && !isSignedOut(error) ? () => mutate(variables) : null,
  };
}
