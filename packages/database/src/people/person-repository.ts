import { emailKey, MAX_PEOPLE, type Person, type PersonRepository, type Uuid } from '@postshelf/domain';
import type { UpdateObject } from 'kysely';
import { completeWithin } from '../idempotency/complete.ts';
import { removeSessionsOfPeople } from '../sessions/remove-sessions.ts';
import { countOf } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import { pageNewestFirst } from '../store/paging.ts';
import { lockWorkspace } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { PersonRow, Tables } from '../store/tables.ts';

const NO_LINK = { invitation_hash: null, invitation_expires_at: null } as const;
const NO_ACCESS = { ...NO_LINK, issuer: null, subject: null } as const;

export function personRepository(store: Store): PersonRepository {
  const peopleOf = store.lookup((queries) =>
    queries
      .selectFrom('session_people')
      .innerJoin('people', 'people.id', 'session_people.person_id')
      .selectAll('people')
      .where('session_people.session_id', '=', GIVEN),
  );

  return {
    insert: (person, invitation, completion) =>
      store.write(async (transaction) => {
        const { id, workspaceId, email } = person;
        if (!(await lockWorkspace(transaction, workspaceId))) return 'gone';
        await store.dialect.lock(transaction, 'people', [workspaceId]);
        const others = transaction.selectFrom('people').where('workspace_id', '=', workspaceId);
        if ((await countOf(others)) >= MAX_PEOPLE) return 'full';
        if (await isTaken(transaction, workspaceId, id, email)) return 'email';
        await transaction
          .insertInto('people')
          .values({ ...toRow(person), ...invited(invitation) })
          .execute();
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    async find(id) {
      const row = await store.read((queries) =>
        queries.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst(),
      );
      return row ? fromRow(row) : null;
    },

    list: (workspaceId, slice) =>
      store.read((snapshot) => {
        const people = snapshot.selectFrom('people').where('workspace_id', '=', workspaceId);
        return pageNewestFirst(people.selectAll(), 'created_at', slice, fromRow);
      }),

    update: (id, { name, email, role }, now, allow) =>
      store.write(async (transaction) => {
        const person = await lockPerson(transaction, id);
        if (!person) return null;
        allow(person);
        if (email !== undefined) await store.dialect.lock(transaction, 'people', [person.workspaceId]);
        if (email && (await isTaken(transaction, person.workspaceId, id, email))) return 'email';
        const isOther = email !== undefined && keyOf(email) !== keyOf(person.email);
        if (isOther) await endAccess(transaction, id);
        return change(transaction, id, {
          updated_at: now,
          ...(name !== undefined && { name }),
          ...(role !== undefined && { role }),
          ...(email !== undefined && { email, email_key: keyOf(email) }),
          ...(isOther && { ...NO_ACCESS, status: 'invited' }),
        });
      }),

    invite: (id, invitation, now, allow, complete) =>
      store.write(async (transaction) => {
        const person = await lockPerson(transaction, id);
        if (!person) return null;
        allow(person);
        await endAccess(transaction, id);
        const changes = { ...NO_ACCESS, ...invited(invitation), status: 'invited', updated_at: now } as const;
        const invitedAgain = await change(transaction, id, changes);
        if (complete) await completeWithin(transaction, complete(invitedAgain));
        return invitedAgain;
      }),

    endSessions: (id, allow) =>
      store.write(async (transaction) => {
        const person = await lockPerson(transaction, id);
        if (!person) return false;
        allow(person);
        await endAccess(transaction, id);
        await change(transaction, id, NO_LINK);
        return true;
      }),

    remove: (id, allow) =>
      store.write(async (transaction) => {
        const person = await lockPerson(transaction, id);
        if (!person) return false;
        allow(person);
        await endAccess(transaction, id);
        await transaction.deleteFrom('people').where('id', '=', id).execute();
        return true;
      }),

    async findInvited(hash) {
      const row = await store.read((queries) =>
        queries.selectFrom('people').selectAll().where('invitation_hash', '=', hash).executeTakeFirst(),
      );
      return row ? fromRow(row) : null;
    },

    bind: ({ issuer, subject }, email, now) =>
      store.write(async (transaction) => {
        // Of two concurrent sign-ins of the same identity, the second waits here, and finds the people that the first
        // has bound.
        await store.dialect.lock(transaction, 'people', [`${issuer} ${subject}`]);
        const bound = () =>
          transaction.selectFrom('people').selectAll().where('issuer', '=', issuer).where('subject', '=', subject);
        const entered = (await bound().execute()).map((row) => row.workspace_id);
        let unbound = transaction.selectFrom('people').select('id').where('issuer', 'is', null);
        if (entered.length > 0) unbound = unbound.where('workspace_id', 'not in', entered);
        const found = email === null ? [] : await unbound.where('email_key', '=', emailKey(email)).execute();
        for (const { id } of found) {
          const person = await lockPerson(transaction, id);
          if (!person || person.identity !== null || keyOf(person.email) !== keyOf(email)) continue;
          await endAccess(transaction, id);
          await change(transaction, id, { ...NO_LINK, issuer, subject, status: 'active', updated_at: now });
        }
        return byId(await bound().execute());
      }),

    async ofSession(sessionId) {
      const rows = await peopleOf(sessionId);
      return byId(rows);
    },

    namesOf: (actors) =>
      store.read(async (snapshot) => {
        const names = new Map<Uuid, string>();
        for (const [kind, table] of [
          ['token', 'tokens'],
          ['person', 'people'],
        ] as const) {
          const ids = [...new Set(actors.filter((actor) => actor.kind === kind).map(({ id }) => id))];
          if (ids.length === 0) continue;
          const rows = await snapshot.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute();
          for (const { id, name } of rows) names.set(id, name);
        }
        return names;
      }),
  };
}

/** Deletes all people of a workspace, which ends their access. Returns how many were deleted. */
export async function removePeopleOf(queries: Queries, workspaceId: Uuid): Promise<number> {
  await removeSessionsOfPeople(queries, (people) => people.where('workspace_id', '=', workspaceId));
  const { numDeletedRows } = await queries
    .deleteFrom('people')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function lockPerson(queries: Queries, id: Uuid): Promise<Person | null> {
  const row = await queries.selectFrom('people').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row ? fromRow(row) : null;
}

/**
 * Ends a person's sessions, and deletes the stored responses to the person's requests, as is done for a revoked token.
 */
async function endAccess(queries: Queries, id: Uuid): Promise<void> {
  await removeSessionsOfPeople(queries, (people) => people.where('id', '=', id));
  await queries.deleteFrom('repeats').where('token_id', '=', id).where('answer', 'is not', null).execute();
}

async function change(queries: Queries, id: Uuid, changes: UpdateObject<Tables, 'people'>): Promise<Person> {
  const changed = queries.updateTable('people').set(changes).where('id', '=', id);
  return fromRow(await changed.returningAll().executeTakeFirstOrThrow());
}

async function isTaken(queries: Queries, workspaceId: Uuid, id: Uuid, email: string | null): Promise<boolean> {
  if (email === null) return false;
  const others = queries
    .selectFrom('people')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '!=', id);
  return (await others.where('email_key', '=', emailKey(email)).executeTakeFirst()) !== undefined;
}

/**
 * Sorts people by id. This isn't left to the database, which might then read all people in this order to find these
 * few.
 */
const byId = (rows: readonly PersonRow[]): readonly Person[] =>
  rows.map(fromRow).toSorted((one, other) => (one.id < other.id ? -1 : 1));

const keyOf = (email: string | null): string | null => (email === null ? null : emailKey(email));

const invited = ({ hash, expiresAt }: Parameters<PersonRepository['invite']>[1]) => ({
  invitation_hash: hash,
  invitation_expires_at: expiresAt,
});

const fromRow = (row: PersonRow): Person => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  email: row.email,
  role: row.role,
  identity: row.issuer === null || row.subject === null ? null : { issuer: row.issuer, subject: row.subject },
  status: row.status,
  invitationExpiresAt: row.invitation_expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (person: Person): PersonRow => ({
  id: person.id,
  workspace_id: person.workspaceId,
  name: person.name,
  email: person.email,
  email_key: keyOf(person.email),
  role: person.role,
  issuer: person.identity?.issuer ?? null,
  subject: person.identity?.subject ?? null,
  status: person.status,
  invitation_hash: null,
  invitation_expires_at: null,
  created_at: person.createdAt,
  updated_at: person.updatedAt,
});
