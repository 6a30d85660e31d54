import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { client, queryClient, sentenceOf, trpc } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { isKept, useBulk } from '../selection/use-bulk.ts';
import { afterDeleting } from '../undo-days.ts';

/** Deletes an item after a confirmation. Items that posts use can't be deleted. */
export function DeleteItem({ item, onDeleted }: { readonly item: MediaItem; onDeleted(): void }) {
  const [isAsking, setIsAsking] = useState(false);
  const notify = useNotify();
  const bulk = useBulk();
  const { id: workspace } = useWorkspace();
  const reasonId = useId();
  const posts = item.usage?.posts ?? 0;
  const deleting = useMutation({
    mutationFn: () => client.trpc.media.delete.mutate({ id: item.id }),
    onSuccess() {
      const undo = isKept(item) ? () => void bulk.restore([item]) : undefined;
      notify({ text: `${item.name} was deleted.`, undo });
      onDeleted();
      void queryClient.invalidateQueries({ queryKey: trpc.media.list.pathKey() });
      void queryClient.invalidateQueries({ queryKey: trpc.trash.pathKey() });
      void queryClient.invalidateQueries({ queryKey: trpc.folders.list.pathKey() });
    },
  });
  const close = (): void => {
    setIsAsking(false);
    deleting.reset();
  };
  return (
    <>
      <Button variant="danger" onPress={() => setIsAsking(true)}>
        Delete
      </Button>
      <Dialog title={`Delete ${item.name}?`} role="alertdialog" isOpen={isAsking} onClose={close}>
        {posts === 0 ? (
          <p>No post uses it. Its link stops working immediately. {afterDeleting('it')}</p>
        ) : (
          <p id={reasonId}>
            <Link to="/posts" search={{ workspace, media: item.id }}>
              {plural(posts, 'post')}
            </Link>{' '}
            {posts === 1 ? 'uses' : 'use'} it. It can be deleted once no post does.
          </p>
        )}
        {deleting.error && <p role="alert">{sentenceOf(deleting.error)}</p>}
        <DialogActions>
          <CancelButton hasStarted={deleting.isPending} onPress={close} />
          <Button
            variant="danger"
            disabledBy={posts > 0 ? reasonId : null}
            isPending={deleting.isPending}
            onPress={() => deleting.mutate()}
          >
            Delete
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
