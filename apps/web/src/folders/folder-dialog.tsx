import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId } from 'react';
import { refresh } from '../service/live.ts';
import { client, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { NameDialog } from '../ui/name-dialog.tsx';
import { useNotify } from '../ui/notices.tsx';
import type { FolderTask } from './folder-menu.tsx';
import { FolderPicker } from './folder-picker.tsx';
import type { Folder } from './folder-rows.ts';
import { useMoveFolder } from './use-move-folder.ts';

interface FolderDialogProps {
  readonly folder: Folder;
  readonly task: FolderTask;
  onClose(): void;
  onDeleted(): void;
}

/** The dialog for an action of a folder's menu. */
export function FolderDialog({ folder, task, onClose, onDeleted }: FolderDialogProps) {
  if (task === 'rename') return <Rename folder={folder} onClose={onClose} />;
  if (task === 'move') return <Move folder={folder} onClose={onClose} />;
  return <Delete folder={folder} onClose={onClose} onDeleted={onDeleted} />;
}

const Rename = ({ folder, onClose }: Pick<FolderDialogProps, 'folder' | 'onClose'>) => (
  <NameDialog
    title={`Rename ${folder.name}`}
    action="Rename"
    name={folder.name}
    onClose={onClose}
    onSubmit={async (name) => {
      await client.trpc.folders.update.mutate({ folder: folder.id, name });
      void refresh('folders');
    }}
  />
);

function Move({ folder, onClose }: Pick<FolderDialogProps, 'folder' | 'onClose'>) {
  const move = useMoveFolder();
  return (
    <FolderPicker
      title={`Move ${folder.name}`}
      action="Move"
      moved={folder}
      onClose={onClose}
      onPick={(parent) => {
        move(folder, parent);
        onClose();
      }}
    />
  );
}

function Delete({ folder, onClose, onDeleted }: Omit<FolderDialogProps, 'task'>) {
  const notify = useNotify();
  const deleting = useMutation({
    mutationFn: () => client.trpc.folders.delete.mutate({ folder: folder.id }),
    onSuccess() {
      refresh('folders');
      notify({ text: `${folder.name} was deleted.` });
      onDeleted();
      onClose();
    },
  });
  const reasonId = useId();
  const { media = 0, folders = 0 } = folder.counts ?? {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    deleting.mutate();
  };
  return (
    <Dialog title={`Delete ${folder.name}?`} role="alertdialog" isOpen onClose={onClose}>
      <form onSubmit={submit}>
        {media + folders === 0 ? (
          <p>It’s empty. This can’t be undone.</p>
        ) : (
          <p id={reasonId}>
            {[media > 0 && plural(media, 'item'), folders > 0 && plural(folders, 'folder')]
              .filter(Boolean)
              .join(' and ')}{' '}
            {media + folders === 1 ? 'is' : 'are'} in it. Only empty folders can be deleted: move or delete the contents
            first.
          </p>
        )}
        {deleting.error && <p role="alert">{sentenceOf(deleting.error)}</p>}
        <DialogActions>
          <CancelButton hasStarted={deleting.isPending} onPress={onClose} />
          <Button
            type="submit"
            variant="danger"
            disabledBy={media + folders > 0 ? reasonId : null}
            isPending={deleting.isPending}
          >
            Delete
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
