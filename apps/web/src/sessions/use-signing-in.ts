import { useMutation } from '@tanstack/react-query';
import { isSignedOut, queryClient, sentenceOf } from '../service/service.ts';
import { type Credential, signIn } from '../service/session-api.ts';
import { forgetWork } from './work-of-session.ts';

/** Why nobody was signed in. */
const NOT_GOOD = {
  token: 'This access token is not valid: it is mistyped, has expired or was revoked.',
  code: 'This link has been used or is too old. Sign in with an access token.',
};

/** Exchanges a token or a link's code for a session, and forgets everything of the one before. */
export function useSigningIn() {
  const { mutate, error, variables, isPending, reset } = useMutation({
    mutationFn: (credential: Credential) => signIn(credential),
    onSuccess: async () => {
      await forgetWork();
      await queryClient.resetQueries();
    },
  });
  const isCode = variables !== undefined && 'code' in variables;
  const refusal = isCode ? NOT_GOOD.code : NOT_GOOD.token;
  return { signIn: mutate, isPending, reset, problem: error && (isSignedOut(error) ? refusal : sentenceOf(error)) };
}
