import type { Operations } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { client, fieldErrorsOf, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import type { DiscardQuestionProps } from '../ui/discard-question.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useCopyText } from '../ui/use-copy-text.ts';
import { useUnsaved } from '../ui/use-unsaved.tsx';
import { RoleField } from './role-field.tsx';
import type { Role } from './roles.ts';
import { refreshPeople } from './use-people.ts';

type Invited = Operations['people']['create']['output']['data'];

interface InviteDialogProps {
  readonly workspace: string;
  readonly roles: readonly Role[];
  onClose(): void;
}

/**
 * Asks whom to invite, and then shows the person's invitation link. The service's errors are shown next to the fields.
 */
export function InviteDialog({ workspace, roles, onClose }: InviteDialogProps) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>(roles[0] ?? 'viewer');
  const inviting = useMutation({
    mutationFn: () =>
      client.trpc.people.create.mutate({ workspace, name: name.trim(), email: email.trim() || null, role }),
    onSettled: () => void refreshPeople(),
  });
  const invited = inviting.data?.data;
  const { close, done, onDirty, question } = useUnsaved(false, onClose, LeaveLink);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!inviting.isPending) inviting.mutate();
  };
  const { name: ofName, email: ofEmail, role: ofRole } = fieldErrorsOf(inviting.error);
  const isBesideFields = Boolean(ofName ?? ofEmail ?? ofRole);
  // The form and the link share one dialog, so that the focus returns to the button that opened it.
  return (
    <Dialog title={invited ? titleOf(invited) : 'Invite a person'} isOpen onClose={close}>
      {invited ? (
        <InvitationLink invited={invited} onUncopied={onDirty} onClose={done} />
      ) : (
        <form onSubmit={submit} noValidate>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            error={ofName?.join(' ')}
            autoFocus
            autoComplete="off"
          />
          <TextField
            label="E-mail"
            type="email"
            value={email}
            onChange={setEmail}
            description="Optional. We don’t send anything to this address; it identifies the person when they sign in with a provider."
            error={ofEmail?.join(' ')}
            autoComplete="off"
          />
          <RoleField value={role} roles={roles} error={ofRole?.join(' ')} onChange={setRole} />
          {inviting.error && !isBesideFields && <p role="alert">{sentenceOf(inviting.error)}</p>}
          <DialogActions>
            <CancelButton hasStarted={inviting.isPending} onPress={onClose} />
            <ConfirmButton
              type="submit"
              isPending={inviting.isPending}
              reason={name.trim() === '' ? 'Enter a name.' : null}
            >
              Invite
            </ConfirmButton>
          </DialogActions>
        </form>
      )}
      {question}
    </Dialog>
  );
}

const titleOf = ({ name }: Invited): string => `Link for ${name}`;

interface LinkDialogProps {
  readonly invited: Invited;
  onClose(): void;
}

/** Shows the link of a new invitation. */
export function LinkDialog({ invited, onClose }: LinkDialogProps) {
  const { close, done, onDirty, question } = useUnsaved(false, onClose, LeaveLink);
  return (
    <Dialog title={titleOf(invited)} isOpen onClose={close}>
      <InvitationLink invited={invited} onUncopied={onDirty} onClose={done} />
      {question}
    </Dialog>
  );
}

interface InvitationLinkProps extends LinkDialogProps {
  /** Called with whether the link hasn't been copied yet, so that it would be lost. */
  onUncopied(isUncopied: boolean): void;
}

/** Shows an invitation's link, which the service returns only once. */
function InvitationLink({ invited: { name, invitation }, onUncopied, onClose }: InvitationLinkProps) {
  const copyText = useCopyText();
  useEffect(() => {
    onUncopied(true);
    return () => onUncopied(false);
  }, [onUncopied]);
  return (
    <>
      <p>Send this link to {name}. It works once, within 7 days, and won’t be shown again.</p>
      <p className="people-link" onCopy={() => onUncopied(false)}>
        <a href={invitation} target="_blank" rel="noreferrer">
          {invitation}
        </a>
      </p>
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
        <Button
          variant="primary"
          autoFocus
          onPress={() => {
            onUncopied(false);
            void copyText(invitation, 'Link copied.');
          }}
        >
          Copy link
        </Button>
      </DialogActions>
    </>
  );
}

/** Asks for confirmation before a link that hasn't been copied disappears, for example because of the Back button. */
const LeaveLink = ({ isOpen, onKeep, onDiscard }: DiscardQuestionProps) => (
  <Dialog title="Leave without copying the link?" role="alertdialog" isOpen={isOpen} onClose={onKeep}>
    <p>It won’t be shown again. To get another one, choose “New link” in the person’s menu.</p>
    <DialogActions>
      <Button autoFocus onPress={onKeep}>
        Stay
      </Button>
      <Button variant="danger" onPress={onDiscard}>
        Leave
      </Button>
    </DialogActions>
  </Dialog>
);
