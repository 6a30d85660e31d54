import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { forgetLinkCode, useLinkCode } from './link-code.ts';
import { useSignInFailure } from './sign-in-failures.ts';
import { useSigningIn } from './use-signing-in.ts';
import { startAnew } from './work-of-session.ts';

/**
 * Asks a signed-in user who opens a sign-in link for confirmation: the link may come from a stranger, and all uploads
 * would go to the stranger's library from then on.
 */
export function ReplaceSession() {
  const code = useLinkCode();
  const { signIn, isPending, problem, again, reset } = useSigningIn(startAnew);
  const close = (): void => {
    forgetLinkCode();
    reset();
  };
  const failure = useSignInFailure();
  const refusal = problem ?? failure;
  if (code === null && !isPending && !refusal) return null;
  return (
    <Dialog
      title={failure === null ? 'Sign in with this link?' : 'You’re still signed in'}
      role="alertdialog"
      isOpen
      onClose={close}
    >
      {refusal ? (
        <p role="alert">{refusal}</p>
      ) : (
        <p>
          You’re already signed in. Signing in with this link ends this browser’s session and its uploads. Continue only
          if you know where the link comes from.
        </p>
      )}
      <DialogActions>
        <Button onPress={close}>Stay signed in</Button>
        {again && (
          <Button variant="primary" onPress={again}>
            Try again
          </Button>
        )}
        {!refusal && (
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
