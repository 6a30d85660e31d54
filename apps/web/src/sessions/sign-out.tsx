import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../service/service.ts';
import { signOut } from '../service/session-api.ts';
import { Button } from '../ui/button.tsx';

/** Ends the session, and forgets everything that the page was told by it. */
export function SignOut() {
  const leaving = useMutation({ mutationFn: signOut, onSuccess: () => queryClient.resetQueries() });
  return (
    <Button variant="quiet" isPending={leaving.isPending} onPress={() => leaving.mutate()}>
      Sign out
    </Button>
  );
}
