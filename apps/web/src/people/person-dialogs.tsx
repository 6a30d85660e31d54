import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client, fieldErrorsOf, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { useNotify } from '../ui/notices.tsx';
import { RoleField } from './role-field.tsx';
import type { Person, Role } from './roles.ts';
import { refreshPeople } from './use-people.ts';

interface RoleDialogProps {
  readonly person: Person;
  readonly roles: readonly Role[];
  onClose(): void;
}

export function RoleDialog({ person: { id, name, role: current }, roles, onClose }: RoleDialogProps) {
  const [role, setRole] = useState(current);
  const changing = useMutation({
    mutationFn: () => client.trpc.people.update.mutate({ id, role }),
    onSuccess: onClose,
    onSettled: () => void refreshPeople(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    changing.mutate();
  };
  const ofRole = fieldErrorsOf(changing.error).role?.join(' ');
  return (
    <Dialog title={`Change role of ${name}`} isOpen onClose={onClose}>
      <form onSubmit={submit}>
        <RoleField value={role} roles={roles} error={ofRole} onChange={setRole} />
        {changing.error && ofRole === undefined && <p role="alert">{sentenceOf(changing.error)}</p>}
        <DialogActions>
          <CancelButton hasStarted={changing.isPending} onPress={onClose} />
          <ConfirmButton type="submit" isPending={changing.isPending} reason={null}>
            Change role
          </ConfirmButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface RemoveDialogProps {
  readonly person: Person;
  /** Whether the user would remove themselves. */
  readonly isOwn: boolean;
  onClose(): void;
}

export function RemoveDialog({ person: { id, name }, isOwn, onClose }: RemoveDialogProps) {
  const notify = useNotify();
  const removing = useMutation({
    mutationFn: () => client.trpc.people.delete.mutate({ id }),
    onSuccess() {
      notify({ text: `${name} was removed.` });
      onClose();
    },
    onSettled: () => void refreshPeople(),
  });
  return (
    <Dialog title={`Remove ${name}?`} role="alertdialog" isOpen onClose={onClose}>
      <p>
        {isOwn ? 'This is you. You lose' : 'They lose'} access to this workspace immediately, and need a new invitation
        to come back. Everything {isOwn ? 'you' : 'they'} uploaded is kept.
      </p>
      {removing.error && <p role="alert">{sentenceOf(removing.error)}</p>}
      <DialogActions>
        <CancelButton hasStarted={removing.isPending} onPress={onClose} />
        <Button variant="danger" isPending={removing.isPending} onPress={() => removing.mutate()}>
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  );
}
