import { PostshelfError } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { sentenceOf } from '../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from './dialog.tsx';
import { TextField } from './text-field.tsx';

interface NameDialogProps {
  readonly title: string;
  /** The label of the button that submits the name. */
  readonly action: string;
  readonly name?: string;
  /** Why the action would fail whatever the name; null if it may succeed. */
  readonly refusal?: string | null;
  onSubmit(name: string): Promise<unknown>;
  onClose(): void;
}

/** Asks for a name; the service's errors are shown next to the field. */
export function NameDialog({ title, action, name = '', refusal = null, onSubmit, onClose }: NameDialogProps) {
  const [typed, setTyped] = useState(name);
  const saving = useMutation({
    mutationFn: onSubmit,
    onSuccess: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // Enter also submits the form while its button is pending.
    if (!saving.isPending) saving.mutate(typed.trim());
  };
  const ofName = saving.error instanceof PostshelfError ? saving.error.errors.name?.join(' ') : undefined;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {/* The service validates the name. `noValidate` keeps the browser from showing its own messages first. */}
      <form onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={typed}
          onChange={(next) => {
            setTyped(next);
            saving.reset();
          }}
          error={ofName}
          isReadOnly={saving.isPending}
          autoFocus
          autoComplete="off"
        />
        {saving.error && ofName === undefined && <p role="alert">{sentenceOf(saving.error)}</p>}
        <DialogActions>
          <CancelButton hasStarted={saving.isPending} onPress={onClose} />
          <ConfirmButton
            type="submit"
            isPending={saving.isPending}
            reason={refusal ?? (typed.trim() === '' ? 'Enter a name.' : null)}
          >
            {action}
          </ConfirmButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
