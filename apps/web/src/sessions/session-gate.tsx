import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { client, isSignedOut, ME_KEY, type Me, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { notePerson } from './former-person.ts';
import { type KeptSession, keepSession } from './kept-session.ts';
import { ReplaceSession } from './replace-session.tsx';
import { SignIn } from './sign-in.tsx';
import { startAnew } from './work-of-session.ts';

const Session = createContext<Me | null>(null);

const HasEnded = createContext(false);

/** Whether the session has ended, so that the service refuses all requests. */
export const useHasEnded = (): boolean => useContext(HasEnded);

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

/**
 * Shows its children if there is a session, and otherwise asks for a token. If the session ends by itself, the children
 * are covered with everything that was typed, and shown again when the same person signs in.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const me = useQuery({
    queryKey: ME_KEY,
    queryFn: readMeIfSignedIn,
    // Somebody who is signed out may sign in with a link, which opens in another tab.
    staleTime: ({ state }) => (state.data === null ? 0 : 60_000),
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => (state.data?.person ? ROLE_INTERVAL : false),
  });
  const isPerson = me.data ? Boolean(me.data.person) : null;
  useEffect(() => {
    if (isPerson !== null) notePerson(isPerson);
  }, [isPerson]);
  const [kept, setKept] = useState<KeptSession | null>(null);
  const now = keepSession(kept, me.data);
  if (now !== kept) setKept(now);
  const isReplaced = now?.state === 'replaced';
  useEffect(() => {
    if (isReplaced) void startAnew();
  }, [isReplaced]);
  if (now) {
    return (
      <Session value={now.me}>
        <HasEnded value={now.state !== 'active'}>
          {children}
          {now.state === 'active' ? <ReplaceSession /> : <SignInAgain />}
        </HasEnded>
      </Session>
    );
  }
  if (me.data === null) return <SignIn />;
  // A failure is also shown while the query is being retried.
  const problem = me.error ?? me.failureReason;
  if (problem === null) {
    return (
      <p className="frame-page frame-starting" role="status">
        Loading…
      </p>
    );
  }
  return (
    <main className="frame-page">
      <p role="alert">{sentenceOf(problem)}</p>
      <Button onPress={() => void me.refetch()}>Try again</Button>
    </main>
  );
}

/** Covers the pages of a session that has ended, and all their dialogs, by the sign-in form. */
function SignInAgain() {
  // A layout effect runs before the form sets its own title.
  useLayoutEffect(() => {
    const { title } = document;
    return () => {
      document.title = title;
    };
  }, []);
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className="sign-in-cover">
      <Modal>
        <Dialog aria-label="Sign in">
          <SignIn isKept />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
