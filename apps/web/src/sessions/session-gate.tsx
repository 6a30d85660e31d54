import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { client, isSignedOut, ME_KEY, type Me, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { notePerson } from './former-person.ts';
import { ReplaceSession } from './replace-session.tsx';
import { SignIn } from './sign-in.tsx';

const Session = createContext<Me | null>(null);

/** Returns the session's token and workspaces, for components within {@link SessionGate}. */
export function useMe(): Me {
  const me = useContext(Session);
  if (me === null) throw new Error('Nobody is signed in here.');
  return me;
}

/**
 * Reads the session's token and workspaces; null if nobody is signed in. A missing session isn't an error here. After
 * an error, the query would have no result while it runs again, and the sign-in form would lose what was typed.
 */
const readMeIfSignedIn = async (): Promise<Me | null> => {
  try {
    return (await client.trpc.me.get.query({})).data;
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
};

/** Milliseconds after which a person's role is read again; others may change it, and no event reports that. */
const ROLE_INTERVAL = 4000;

/** Shows its children if there is a session, and otherwise asks for a token. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const me = useQuery({
    queryKey: ME_KEY,
    queryFn: readMeIfSignedIn,
    staleTime: 60_000,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => (state.data?.person ? ROLE_INTERVAL : false),
  });
  const isPerson = me.data ? Boolean(me.data.person) : null;
  useEffect(() => {
    if (isPerson !== null) notePerson(isPerson);
  }, [isPerson]);
  if (me.data === null) return <SignIn />;
  if (me.data)
    return (
      <Session value={me.data}>
        {children}
        <ReplaceSession />
      </Session>
    );
  // A failure is also shown while the query is being retried.
  const problem = me.error ?? me.failureReason;
  if (problem === null) return <p className="frame-page" aria-busy="true" />;
  return (
    <main className="frame-page">
      <p role="alert">{sentenceOf(problem)}</p>
      <Button onPress={() => void me.refetch()}>Try again</Button>
    </main>
  );
}
