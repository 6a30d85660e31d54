import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { sentenceOf } from '../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { useNotify } from '../ui/notices.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { startImport } from './imports.ts';

export interface ImportDialogProps {
  readonly folder: string | null;
  onClose(): void;
}

export function ImportDialog({ folder, onClose }: ImportDialogProps) {
  const { id: workspace } = useWorkspace();
  const notify = useNotify();
  const [url, setUrl] = useState('');
  const importing = useMutation({
    mutationFn: () => startImport(workspace, folder, url.trim()),
    onSuccess: (name) => {
      if (name !== null) notify({ text: `${name} was imported.` });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // Enter also submits the form while its button is pending.
    if (!importing.isPending) importing.mutate();
  };
  return (
    <Dialog title="Import from URL" isOpen onClose={onClose}>
      {/* The service validates the URL. `noValidate` keeps the browser from showing its own messages first. */}
      <form onSubmit={submit} noValidate>
        <TextField
          label="URL"
          type="url"
          value={url}
          onChange={(value) => {
            setUrl(value);
            importing.reset();
          }}
          error={importing.error ? sentenceOf(importing.error) : undefined}
          description="A link to a public image or video. The server downloads it."
          validationBehavior="aria"
          isReadOnly={importing.isPending}
          autoFocus
          isRequired
        />
        <DialogActions>
          <CancelButton hasStarted={importing.isPending} onPress={onClose} />
          <ConfirmButton
            type="submit"
            isPending={importing.isPending}
            reason={url.trim() === '' ? 'Enter a URL.' : null}
          >
            {importing.isPending ? 'Importing' : 'Import'}
          </ConfirmButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
