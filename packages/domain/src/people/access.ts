import type { Uuid } from '../ids.ts';
import {
  type AccessToken,
  hasAccessTo,
  isOperator,
  OPERATOR,
  PEOPLE_SCOPES,
  SCOPES,
  type Scope,
} from '../tokens/token.ts';
import { type Person, scopesOf } from './person.ts';

/** The token or person that did something. Commands on the machine have no actor. */
export interface Actor {
  readonly kind: 'token' | 'person';
  readonly id: Uuid;
}

/** A caller's rights in a workspace, and the actor to whom the caller's actions there are attributed. */
export interface Entry {
  readonly actor: Actor | null;
  readonly scopes: readonly Scope[];
}

/** Decides what a caller may do. The caller is a token or its session, a person, or a command on the machine. */
export interface Access {
  /** The actor for whom rates and stored responses are counted; null for a command, which has none. */
  readonly actor: Actor | null;
  /**
   * The holder for whom memory and streams are counted: the token, or all people of a workspace together, because
   * managers can add as many people as they like.
   */
  readonly holder: Uuid;
  /**
   * The scopes that the caller may have in any workspace. If none of them is sufficient for a request, it can be
   * refused without looking anything up.
   */
  readonly possible: readonly Scope[];
  /**
   * Returns the caller's rights in a workspace; null if the caller must not learn that the workspace exists.
   *
   * @param scope the scope that the operation needs; null for none
   */
  entryOf(workspaceId: Uuid, scope: Scope | null): Entry | null;
}

/** Returns the access of a token. An operator's token can enter a workspace only to manage the workspace's people. */
export function accessOfToken(token: AccessToken): Access {
  const actor: Actor = { kind: 'token', id: token.id };
  if (isOperator(token)) {
    const entry = { actor, scopes: PEOPLE_SCOPES };
    const isOfPeople = (scope: Scope | null): boolean => (PEOPLE_SCOPES as readonly (Scope | null)[]).includes(scope);
    return {
      actor,
      holder: token.id,
      possible: [...token.scopes, ...PEOPLE_SCOPES],
      entryOf: (_, scope) => (isOfPeople(scope) ? entry : null),
    };
  }
  const entry = { actor, scopes: token.scopes };
  return { actor, holder: token.id, possible: token.scopes, entryOf: (id) => (hasAccessTo(token, id) ? entry : null) };
}

/**
 * The access of a command on the machine. A user who can read the database and the secret can do anything already, so
 * the command has every scope in every workspace, and may also administer the service.
 *
 * @param holder identifies the process
 */
export const accessOfCommand = (holder: Uuid): Access => ({
  actor: null,
  holder,
  possible: [...SCOPES, OPERATOR],
  entryOf: () => ({ actor: null, scopes: SCOPES }),
});

/** @param people the people that the caller can act as, at most one per workspace */
export function accessOfPeople(people: readonly [Person, ...Person[]]): Access {
  const entries = new Map(
    people.map(({ id, workspaceId, role }) => [workspaceId, { actor: { kind: 'person', id }, scopes: scopesOf(role) }]),
  ) as ReadonlyMap<Uuid, Entry>;
  return {
    actor: { kind: 'person', id: people[0].id },
    holder: people[0].workspaceId,
    possible: SCOPES,
    entryOf: (id) => entries.get(id) ?? null,
  };
}
