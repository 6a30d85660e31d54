import { useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { forgetLinkCode, linkCode, subscribe } from './link-code.ts';
import { useSigningIn } from './use-signing-in.ts';

/**
 * Asks a signed-in user who opens a sign-in link for confirmation: the link may come from a stranger, to whose library
 * all uploads would go from then on.
 */
export function ReplaceSession() {
  const code = useSyncExternalStore(subscribe, linkCode);
  const { signIn, isPending, problem, reset } = useSigningIn();
  const close = (): void => {
    forgetLinkCode();
    reset();
  };
  if (code === null && !isPending && !problem) return null;
  return (
    <Dialog title="Sign in with this link?" role="alertdialog" isOpen onClose={close}>
      {problem ? (
        <p role="alert">{problem}</p>
      ) : (
        <p>
          You are signed in already. The link signs in anew and ends the session of this browser, with its uploads. Go
          on only if you know where the link comes from.
        </p>
      )}
      <DialogActions>
        <Button onPress={close}>Stay signed in</Button>
        {!problem && (
          <Button
            variant="primary"
            isPending={isPending}
            onPress={() => {
              if (code === null) return;
              forgetLinkCode();
              signIn({ code });
            }}
          >
            Sign in
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
