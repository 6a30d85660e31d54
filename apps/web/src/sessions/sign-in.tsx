import './sign-in.css';
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useTitle } from '../ui/use-title.ts';
import { forgetLinkCode, linkCode, subscribe } from './link-code.ts';
import { useSigningIn } from './use-signing-in.ts';

/**
 * Exchanges an access token, or the code of a sign-in link, for a session. The token is sent once and not stored; the
 * session is in a cookie that scripts can't read.
 */
export function SignIn() {
  useTitle('Sign in');
  const [token, setToken] = useState('');
  const { signIn, isPending, problem } = useSigningIn();
  const code = useSyncExternalStore(subscribe, linkCode);
  useEffect(() => {
    // Reads the code again, as an effect may run twice, and the code is valid only once.
    if (code === null || linkCode() !== code) return;
    forgetLinkCode();
    signIn({ code });
  }, [code, signIn]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn({ token: token.trim() });
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>Sign in to Postshelf</h1>
        <TextField
          label="Access token"
          value={token}
          onChange={setToken}
          autoComplete="off"
          isRequired
          description="The first start printed one; postshelf token create makes another."
        />
        {problem && <p role="alert">{problem}</p>}
        <Button type="submit" variant="primary" isPending={isPending}>
          {isPending ? 'Signing in' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
}
