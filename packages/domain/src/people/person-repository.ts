import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Actor } from './access.ts';
import type { Identity, Person, Role } from './person.ts';

export interface Invitation {
  /** By `SessionSecrets`. */
  readonly hash: string;
  readonly expiresAt: number;
}

/** Absent fields stay. */
export interface PersonChange {
  readonly name?: string;
  readonly email?: string | null;
  readonly role?: Role;
}

/** Decides on the row as it is in the transaction. @throws Refusal, and nothing is done */
export type Allow = (person: Person) => void;

/**
 * Of a workspace no two people have an e-mail address or an identity in common. What ends a person's sessions and link is
 * seen by every look-up that starts later, in any process.
 */
export interface PersonRepository {
  /** `full`: {@link MAX_PEOPLE}; `email`: somebody has it; `gone`: the workspace. Nothing is inserted then. */
  insert(
    person: Person,
    invitation: Invitation,
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'full' | 'email' | 'gone'>;
  find(id: Uuid): Promise<Person | null>;
  /** Newest first. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Person>>;
  /** Another e-mail address ends sessions, link and identity. null: gone. */
  update(id: Uuid, change: PersonChange, now: number, allow: Allow): Promise<Person | 'email' | null>;
  /** Replaces the link, and ends sessions and identity. null: gone. */
  invite(
    id: Uuid,
    invitation: Invitation,
    now: number,
    allow: Allow,
    complete?: (person: Person) => RepeatCompletion,
  ): Promise<Person | null>;
  /** And the link. false: gone. */
  endSessions(id: Uuid, allow: Allow): Promise<boolean>;
  /** With sessions and link. false: gone. */
  remove(id: Uuid, allow: Allow): Promise<boolean>;
  /** Whose unused link has the hash, also an expired one. */
  findInvited(hash: string): Promise<Person | null>;
  /**
   * Those of an identity, after binding it to whoever has the e-mail address and no identity yet, where it has nobody.
   * Binding ends a person's link and its sessions.
   *
   * @param email null: none that is verified
   */
  bind(identity: Identity, email: string | null, now: number): Promise<readonly Person[]>;
  /** As whom a session acts, in the order of their ids; none once all that it was of have ended. */
  ofSession(sessionId: Uuid): Promise<readonly Person[]>;
  /** Of those that still exist, by the id of the token or person. */
  namesOf(actors: readonly Actor[]): Promise<ReadonlyMap<Uuid, string>>;
}
