import '../ui/menu.css';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { dayIn } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { type Person, ROLES, type Role } from './roles.ts';

export type PersonTask = 'role' | 'link' | 'sessions' | 'remove';

interface PeopleTableProps {
  readonly people: readonly Person[];
  /** The id of the signed-in person; null for tokens. */
  readonly own: string | null;
  /** The roles that the signed-in user may assign and remove; people with other roles have no menu. */
  readonly roles: readonly Role[];
  onTask(person: Person, task: PersonTask): void;
}

/** A row for each person. On narrow screens it looks like a card. */
export const PeopleTable = ({ people, own, roles, onTask }: PeopleTableProps) => (
  <table className="people" aria-label="People">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">E-mail</th>
        <th scope="col">Role</th>
        <th scope="col">Status</th>
        {roles.length > 0 && (
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
    <tbody>
      {people.map((person) => (
        <tr key={person.id}>
          <th scope="row">
            {person.name} {person.id === own && <small>You</small>}
          </th>
          <td>{person.email}</td>
          <td>{ROLES[person.role].label}</td>
          <td>
            <Status person={person} />
          </td>
          {roles.length > 0 && (
            <td className="people-actions">
              {roles.includes(person.role) && (
                <PersonMenu name={person.name} isOwn={person.id === own} onTask={(task) => onTask(person, task)} />
              )}
            </td>
          )}
        </tr>
      ))}
    </tbody>
  </table>
);

function Status({ person: { status, expires_at } }: { readonly person: Person }) {
  const { timezone } = useWorkspace();
  const label = status === 'active' ? 'Active' : 'Invited';
  if (expires_at === null) return label;
  return (
    <>
      {label}{' '}
      <small>
        {Date.parse(expires_at) > Date.now() ? `Link valid until ${dayIn(expires_at, timezone)}` : 'Link expired'}
      </small>
    </>
  );
}

const TASKS: readonly { readonly id: PersonTask; readonly label: string; readonly endsOwnSession?: true }[] = [
  { id: 'role', label: 'Change role' },
  // Users can't create a new link for themselves. It would end their session, so the page couldn't show the link.
  { id: 'link', label: 'New link', endsOwnSession: true },
  { id: 'sessions', label: 'End sessions', endsOwnSession: true },
  { id: 'remove', label: 'Remove' },
];

interface PersonMenuProps {
  readonly name: string;
  readonly isOwn: boolean;
  onTask(task: PersonTask): void;
}

const PersonMenu = ({ name, isOwn, onTask }: PersonMenuProps) => (
  <MenuTrigger>
    <Button variant="quiet" aria-label={`Actions for ${name}`}>
      <span aria-hidden="true">⋯</span>
    </Button>
    <Popover placement="bottom end" className="menu-box">
      <Menu
        className="menu"
        items={TASKS.filter(({ endsOwnSession }) => !(isOwn && endsOwnSession))}
        onAction={(task) => onTask(task as PersonTask)}
      >
        {({ label, id }) => (
          <MenuItem className={`menu-item ${id === 'remove' ? 'menu-item-danger' : ''}`}>{label}</MenuItem>
        )}
      </Menu>
    </Popover>
  </MenuTrigger>
);
