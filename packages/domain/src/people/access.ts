import type { Uuid } from '../ids.ts';
import { type AccessToken, hasAccessTo, isOperator, PEOPLE_SCOPES, SCOPES, type Scope } from '../tokens/token.ts';
import { type Person, scopesOf } from './person.ts';

/** Who did something. */
export interface Actor {
  readonly kind: 'token' | 'person';
  readonly id: Uuid;
}

/** What a caller may do in a workspace, and who does it there. */
export interface Entry {
  readonly actor: Actor;
  readonly scopes: readonly Scope[];
}

/** The one answer to what a caller may do: by a token, by a session of one, or as a person. */
export interface Access {
  /** By whom rates and kept answers are counted. */
  readonly actor: Actor;
  /** By whom memory and streams are counted: the token, or all people of a workspace, as managers make as many as they like. */
  readonly holder: Uuid;
  /** Scopes that it may have in some workspace: without one of these nothing needs to be looked up. */
  readonly possible: readonly Scope[];
  /**
   * null: the caller can't tell the workspace from one that doesn't exist.
   *
   * @param scope that the operation needs; null: none
   */
  entryOf(workspaceId: Uuid, scope: Scope | null): Entry | null;
}

/** An operator's enters a workspace for operations on its people alone. */
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

/** @param people one person, as whom each of the workspaces is entered */
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
