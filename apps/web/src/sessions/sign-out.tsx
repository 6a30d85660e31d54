import './sign-out.css';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useNotify } from '../ui/notices.tsx';
import { hasUnfinishedWork, startAnew } from './work-of-session.ts';

const SessionsDialog = lazyDialog(async () => (await import('./sessions-dialog.tsx')).SessionsDialog);

/**
 * Ends the session, and clears everything that the page has cached. Asks for confirmation if the sign-out would abort
 * uploads.
 */
export function SignOut() {
  const notify = useNotify();
  const [isAsking, setIsAsking] = useState(false);
  const leaving = useMutation({
    mutationFn: () => client.signOut(),
    onSuccess: startAnew,
    onError: (error) => notify({ tone: 'bad', text: sentenceOf(error) }),
  });
  return (
    <div className="sign-out">
      <SessionsButton />
      <Button
        variant="quiet"
        isPending={leaving.isPending}
        onPress={() => (hasUnfinishedWork() ? setIsAsking(true) : leaving.mutate())}
      >
        Sign out
      </Button>
      <Dialog title="Uploads aren’t finished" role="alertdialog" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <p>Signing out cancels them. Files that have finished uploading stay in the library.</p>
        <DialogActions>
          <Button onPress={() => setIsAsking(false)}>Stay</Button>
          <Button
            variant="danger"
            onPress={() => {
              setIsAsking(false);
              leaving.mutate();
            }}
          >
            Sign out
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  );
}

/** Shows the other browsers that are signed in with the same token. */
function SessionsButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" onPress={() => setIsOpen(true)}>
        Sessions
      </Button>
      {isOpen && <SessionsDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}
