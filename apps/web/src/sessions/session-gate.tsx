import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { isSignedOut, sentenceOf } from '../service/service.ts';
import { ME_KEY, type Me, readMe } from '../service/session-api.ts';
import { Button } from '../ui/button.tsx';
import { SignIn } from './sign-in.tsx';

const Session = createContext<Me | null>(null);

/** Who is signed in, for everything within {@link SessionGate}. */
export function useMe(): Me {
  const me = useContext(Session);
  if (me === null) throw new Error('Nobody is signed in here.');
  return me;
}

/** Shows what is within to whoever has a session, and asks everyone else for a token. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const me = useQuery({ queryKey: ME_KEY, queryFn: readMe, staleTime: 60_000, refetchOnWindowFocus: true });
  if (isSignedOut(me.error)) return <SignIn />;
  if (me.data) return <Session value={me.data}>{children}</Session>;
  if (me.error === null) return <p className="frame-page" aria-busy="true" />;
  return (
    <main className="frame-page">
      <p role="alert">{sentenceOf(me.error)}</p>
      <Button onPress={() => void me.refetch()}>Try again</Button>
    </main>
  );
}
