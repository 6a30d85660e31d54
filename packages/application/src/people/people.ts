import {
  INVITATION_LIFETIME,
  invalid,
  isEmail,
  isOperator,
  MAX_PEOPLE,
  makeSecret,
  missingFor,
  notFound,
  type PageRequest,
  type Person,
  type PersonChange,
  parseUuid,
  Refusal,
  type Role,
  type Rows,
  sliceOf,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess, requireEntry } from '../tokens/permissions.ts';

export interface PersonRequest {
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
}

/** A new invitation; the code in its link is never shown again. */
export interface InvitedPerson {
  readonly person: Person;
  readonly code: string;
}

/** The giver of roles: a caller, or null for the command line, which may give all roles. */
type Giver = Caller | null;

/**
 * Adds a person to a workspace. The person signs in once with a link that contains the code, or at an OpenID provider
 * that has verified the e-mail address.
 *
 * @param lifetime how long the link is valid, in milliseconds
 * @throws Refusal `missing_scope` unless the giver has every scope of the role, `invalid` on `email`, or on `person` if
 *   the workspace has too many
 */
export async function invitePerson(
  ports: Pick<Ports, 'people' | 'sessionSecrets' | 'clock' | 'ids'>,
  giver: Giver,
  { id: workspaceId }: Pick<Workspace, 'id'>,
  { name, email, role }: PersonRequest,
  { complete, lifetime = INVITATION_LIFETIME }: { complete?: Completing<InvitedPerson>; lifetime?: number } = {},
): Promise<InvitedPerson> {
  requireGiving(giver, workspaceId, [role]);
  requireEmail(email);
  const now = ports.clock.now();
  const { secret: code, hash } = makeSecret(ports.sessionSecrets);
  const expiresAt = now + lifetime;
  const person: Person = {
    id: ports.ids.next(),
    workspaceId,
    name,
    email,
    role,
    identity: null,
    status: 'invited',
    invitationExpiresAt: expiresAt,
    createdAt: now,
    updatedAt: now,
  };
  const invited = { person, code };
  const kept = await ports.people.insert(person, { hash, expiresAt }, complete?.(invited));
  if (kept === 'full') throw invalid('person', `A workspace can have at most ${MAX_PEOPLE} people.`);
  if (kept === 'email') throw emailTaken();
  if (kept === 'gone') throw notFound();
  return invited;
}

/**
 * Finds the person that a path names.
 *
 * @throws Refusal `not_found` if the id is malformed or unknown, or the caller can't enter the person's workspace
 */
export async function findPerson(ports: Pick<Ports, 'people'>, caller: Caller, id: string): Promise<Person> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.people.find(uuid)));
}

/** Lists people, newest first. */
export const listPeople = (
  { people }: Pick<Ports, 'people'>,
  { id }: Pick<Workspace, 'id'>,
  page: PageRequest,
): Promise<Rows<Person>> => people.list(id, sliceOf(page));

/**
 * Changes the given fields. Changing the e-mail address ends the person's sessions, invalidates their link and unlinks
 * their identity.
 *
 * @throws Refusal `missing_scope` unless the giver has every scope of the old and the new role, `invalid` on `email`,
 *   `not_found` if the person was removed meanwhile
 */
export async function changePerson(
  ports: Pick<Ports, 'people' | 'clock'>,
  giver: Giver,
  { id }: Pick<Person, 'id'>,
  change: PersonChange,
): Promise<Person> {
  if (change.email !== undefined) requireEmail(change.email);
  const roles = change.role === undefined ? [] : [change.role];
  const changed = await ports.people.update(id, change, ports.clock.now(), allowing(giver, roles));
  if (changed === 'email') throw emailTaken();
  if (changed === null) throw notFound();
  return changed;
}

/**
 * Makes a new link. This invalidates the old link, ends the person's sessions and unlinks their identity.
 *
 * @throws Refusal `missing_scope` or `not_found`, in the same cases as {@link changePerson}
 */
export async function inviteAgain(
  ports: Pick<Ports, 'people' | 'sessionSecrets' | 'clock'>,
  giver: Giver,
  { id }: Pick<Person, 'id'>,
  complete?: Completing<InvitedPerson>,
): Promise<InvitedPerson> {
  const now = ports.clock.now();
  const { secret: code, hash } = makeSecret(ports.sessionSecrets);
  const invitation = { hash, expiresAt: now + INVITATION_LIFETIME };
  const completing = complete && ((person: Person) => complete({ person, code }));
  const person = await ports.people.invite(id, invitation, now, allowing(giver), completing);
  if (person === null) throw notFound();
  return { person, code };
}

/**
 * Ends a person's sessions and invalidates their link.
 *
 * @throws Refusal `missing_scope` or `not_found`, in the same cases as {@link changePerson}
 */
export async function endSessionsOf({ people }: Pick<Ports, 'people'>, giver: Giver, id: Uuid): Promise<void> {
  if (!(await people.endSessions(id, allowing(giver)))) throw notFound();
}

/**
 * Removes a person with their sessions and link.
 *
 * @throws Refusal `missing_scope` or `not_found`, in the same cases as {@link changePerson}
 */
export async function removePerson({ people }: Pick<Ports, 'people'>, giver: Giver, id: Uuid): Promise<void> {
  if (!(await people.remove(id, allowing(giver)))) throw notFound();
}

const allowing =
  (giver: Giver, roles: readonly Role[] = []) =>
  ({ workspaceId, role }: Person): void =>
    requireGiving(giver, workspaceId, [role, ...roles]);

/** Requires that a giver has the scopes of the roles. Operators, who run the service, may give and take all roles. */
function requireGiving(giver: Giver, workspaceId: Uuid, roles: readonly Role[]): void {
  if (giver === null) return;
  const { scopes } = requireEntry(giver, workspaceId);
  const missing = isOperator({ scopes: giver.possible }) ? null : missingFor(scopes, roles);
  if (missing !== null) throw new Refusal({ code: 'missing_scope', scope: missing });
}

const emailTaken = (): Refusal => invalid('email', 'The email has already been taken.');

function requireEmail(email: string | null): void {
  if (email !== null && !isEmail(email)) throw invalid('email', 'The email field must be a valid email address.');
}
