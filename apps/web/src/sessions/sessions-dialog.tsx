import './sessions-dialog.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { queryClient, sentenceOf, trpc } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { useMe } from './session-gate.tsx';

/** Maximum number of listed sessions; in practice nobody has more. */
const PER_PAGE = 100;

/** Lists the browsers that are signed in with the same token, or as the same person; each can be signed out here. */
export function SessionsDialog({ onClose }: { readonly onClose: () => void }) {
  const { token } = useMe();
  // No event reports changes to sessions, so the list is polled.
  const sessions = useQuery(trpc.sessions.list.queryOptions({ per_page: PER_PAGE }, { refetchInterval: 3000 }));
  const ending = useMutation(
    trpc.sessions.delete.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.sessions.pathKey() }),
    }),
  );
  const problem = ending.error ?? sessions.error;
  return (
    <Dialog title="Sessions" isOpen onClose={onClose}>
      <p>Browsers that are signed in {token ? 'with the same access token' : 'as you'}.</p>
      {problem && <p role="alert">{sentenceOf(problem)}</p>}
      <ul className="sessions" aria-label="Sessions" aria-busy={sessions.isPending}>
        {sessions.data?.data.map(({ id, name, is_current, last_used_at, created_at }) => (
          <li key={id}>
            <span id={id}>{name}</span>
            <small>{is_current ? 'This browser' : `Last used ${timeOf(last_used_at ?? created_at)}`}</small>
            {!is_current && (
              <Button aria-describedby={id} isDisabled={ending.isPending} onPress={() => ending.mutate({ id })}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

const timeOf = (text: string): string =>
  new Date(text).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
