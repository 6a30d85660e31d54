import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Actor } from './access.ts';
import type { Identity, Person, Role } from './person.ts';

interface Invitation {
  /** The hash of the link's secret, made by `SessionSecrets`. */
  readonly hash: string;
  readonly expiresAt: number;
}

/** Absent fields stay unchanged. */
export interface PersonChange {
  readonly name?: string;
  readonly email?: string | null;
  readonly role?: Role;
}

/**
 * Decides inside the transaction whether a person may be changed, based on the stored row.
 *
 * @throws Refusal if not; in that case, nothing is changed
 */
type Allow = (person: Person) => void;

/**
 * No two people of a workspace share an e-mail address or an identity. Once a person's sessions and link have ended, no
 * look-up that starts later finds the sessions or the link, in any process.
 */
export interface PersonRepository {
  /**
   * Returns `full` if the workspace has {@link MAX_PEOPLE}, `email` if another person has the address, `gone` if the
   * workspace no longer exists; in all three cases, nothing is inserted.
   */
  insert(
    person: Person,
    invitation: Invitation,
    completion?: IdempotencyCompletion,
  ): Promise<'kept' | 'full' | 'email' | 'gone'>;
  find(id: Uuid): Promise<Person | null>;
  /** Lists people, newest first. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Person>>;
  /**
   * Updates a person; returns null if they no longer exist. A new e-mail address ends the person's sessions and link,
   * and removes the identity.
   */
  update(id: Uuid, change: PersonChange, now: number, allow: Allow): Promise<Person | 'email' | null>;
  /** Replaces the link, ends the sessions and removes the identity. Returns null if the person no longer exists. */
  invite(
    id: Uuid,
    invitation: Invitation,
    now: number,
    allow: Allow,
    complete?: (person: Person) => IdempotencyCompletion,
  ): Promise<Person | null>;
  /** Ends the sessions and the link. Returns false if the person no longer exists. */
  endSessions(id: Uuid, allow: Allow): Promise<boolean>;
  /** Removes a person with their sessions and link. Returns false if they no longer exist. */
  remove(id: Uuid, allow: Allow): Promise<boolean>;
  /** Finds the person whose unused link has the hash, even if it has expired. */
  findInvited(hash: string): Promise<Person | null>;
  /**
   * Returns the people who have the identity. In workspaces where nobody has it, first binds it to the person with the
   * e-mail address, unless that person has another identity. Binding ends the person's link and sessions.
   *
   * @param email null if none is verified
   */
  bind(identity: Identity, email: string | null, now: number): Promise<readonly Person[]>;
  /**
   * Returns the people for whom a session acts, by id; an empty list once the sessions of all these people have ended.
   */
  ofSession(sessionId: Uuid): Promise<readonly Person[]>;
  /** Returns the names of tokens and people that still exist, by id. */
  namesOf(actors: readonly Actor[]): Promise<ReadonlyMap<Uuid, string>>;
}
