import './people.css';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { useNotify } from '../ui/notices.tsx';
import { Page } from '../ui/page.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { InviteDialog, LinkDialog } from './invite-dialog.tsx';
import { PeopleTable, type PersonTask } from './people-table.tsx';
import { RemoveDialog, RoleDialog } from './person-dialogs.tsx';
import { type Person, rolesGivenBy } from './roles.ts';
import { refreshPeople, usePeople } from './use-people.ts';

interface Task {
  readonly person: Person;
  readonly task: PersonTask;
}

/** Lists the people who may sign in to the workspace, and their roles. */
export function PeoplePage() {
  const { id: workspace, scopes, person: own } = useWorkspace();
  const isAllowed = scopes.includes('people:read');
  const roles = scopes.includes('people:write') ? rolesGivenBy(scopes) : [];
  const query = usePeople(isAllowed);
  const notify = useNotify();
  const [isInviting, setIsInviting] = useState(false);
  const [opened, setOpened] = useState<Task | null>(null);
  const close = (): void => setOpened(null);
  const onError = (error: Error): void => void notify({ tone: 'bad', text: sentenceOf(error) });
  const invitingAgain = useMutation({
    mutationFn: ({ id }: Person) => client.trpc.people.invite.mutate({ id }),
    onError,
    onSettled: refreshPeople,
  });
  const endingSessions = useMutation({
    mutationFn: ({ id }: Person) => client.trpc.people.endSessions.mutate({ id }),
    onSuccess: (_, { name }) => void notify({ text: `${name} was signed out everywhere.` }),
    onError,
    onSettled: refreshPeople,
  });
  const perform = (person: Person, task: PersonTask): void => {
    if (task === 'link') invitingAgain.mutate(person);
    else if (task === 'sessions') endingSessions.mutate(person);
    else setOpened({ person, task });
  };
  return (
    <Page
      title="People"
      controls={
        roles.length > 0 && (
          <Button variant="primary" onPress={() => setIsInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {isAllowed ? (
        <Loaded query={query}>
          {(people) =>
            people.length === 0 ? (
              <p>Nobody has been invited yet. People who sign in with an access token aren’t listed here.</p>
            ) : (
              <PeopleTable people={people} own={own} roles={roles} onTask={perform} />
            )
          }
        </Loaded>
      ) : (
        <p>You don’t have permission to see the people in this workspace. Ask a manager.</p>
      )}
      {isInviting && <InviteDialog workspace={workspace} roles={roles} onClose={() => setIsInviting(false)} />}
      {invitingAgain.data && <LinkDialog invited={invitingAgain.data.data} onClose={invitingAgain.reset} />}
      {opened?.task === 'role' && <RoleDialog person={opened.person} roles={roles} onClose={close} />}
      {opened?.task === 'remove' && (
        <RemoveDialog person={opened.person} isOwn={opened.person.id === own} onClose={close} />
      )}
    </Page>
  );
}
