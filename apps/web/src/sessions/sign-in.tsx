import './sign-in.css';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryClient, sentenceOf } from '../service/service.ts';
import { type Credential, ME_KEY, signIn } from '../service/session-api.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';

/** Exchanges an access token for a session. The token is sent once and not kept: the cookie can't be read by pages. */
export function SignIn() {
  const [token, setToken] = useState('');
  const signing = useMutation({
    mutationFn: (credential: Credential) => signIn(credential),
    onSuccess: () => queryClient.resetQueries({ queryKey: ME_KEY }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signing.mutate({ token: token.trim() });
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
        {signing.error && <p role="alert">{sentenceOf(signing.error)}</p>}
        <Button type="submit" variant="primary" isPending={signing.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
