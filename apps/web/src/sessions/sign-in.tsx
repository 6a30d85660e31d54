import './sign-in.css';
import { type FormEvent, useEffect, useState } from 'react';
import { root } from '../service/root.ts';
import { queryClient } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useTitle } from '../ui/use-title.ts';
import { wasPerson } from './former-person.ts';
import { forgetLinkCode, linkCode, useLinkCode } from './link-code.ts';
import { useSignInFailure } from './sign-in-failures.ts';
import { useSigningIn } from './use-signing-in.ts';

/** The name of the sign-in provider, from the served page; undefined if none is configured. */
const provider = document.querySelector<HTMLMetaElement>('meta[name="postshelf-sign-in-with"]')?.content;

/** Reads everything again. `session-gate.tsx` decides whether the pages of the previous session are shown again. */
const readAgain = (): Promise<void> => queryClient.invalidateQueries();

interface SignInProps {
  /** Whether the pages of the session that has ended come back after signing in again. */
  readonly isKept?: boolean;
}

/**
 * Exchanges an access token, or the code of a sign-in link, for a session. The token is sent once and not stored; the
 * session is in a cookie that scripts can't read. People who signed in with a link have no token, so the page explains
 * to them how to sign in again.
 */
export function SignIn({ isKept = false }: SignInProps) {
  useTitle('Sign in');
  const [isPerson] = useState(wasPerson);
  const [token, setToken] = useState('');
  const { signIn, isPending, problem, again } = useSigningIn(readAgain);
  const code = useLinkCode();
  const failure = useSignInFailure();
  const refusal = problem ?? failure;
  useEffect(() => {
    // Checks that the code is unused, because an effect may run twice, and the code is valid only once.
    if (code === null || linkCode() !== code) return;
    forgetLinkCode();
    signIn({ code });
  }, [code, signIn]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    forgetLinkCode();
    signIn({ token: token.trim() });
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>Sign in to Postshelf</h1>
        {isKept && <p>Your session has ended. What you typed is kept in this tab until you sign in again.</p>}
        {isPerson && (
          <p>
            You’re signed out, and your link worked only once. {provider ? 'Sign in below, or ask' : 'Ask'} a manager of
            the library for a new link, and open it in this browser.
          </p>
        )}
        {provider && (
          // The service checks that the request comes from its own page, so this is a link and not a redirect. What was
          // typed would be lost in this tab, which notices when somebody signs in in another one.
          <a
            className="button button-plain"
            href={new URL('v1/sessions/oidc', root).href}
            target={isKept ? '_blank' : undefined}
          >
            Sign in with {provider}
          </a>
        )}
        <TextField
          label="Access token"
          value={token}
          onChange={setToken}
          autoComplete="off"
          isRequired
          description={isPerson ? 'Only if you were given a token.' : 'Ask your administrator for a token.'}
        />
        {refusal && <p role="alert">{refusal}</p>}
        {again && (
          <Button variant="primary" onPress={again}>
            Try again
          </Button>
        )}
        <Button type="submit" variant={isPerson || again ? 'plain' : 'primary'} isPending={isPending}>
          {isPending ? 'Signing in' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
}
