import { describe, expect, test } from 'bun:test';
import {
  type Identity,
  MAX_PEOPLE,
  type Person,
  type Session,
  type SessionGrounds,
  type Uuid,
} from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId, samplePerson, sampleToken } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const PAGE = { offset: 0, limit: 10 };
const ADA: Identity = { issuer: 'https://id.example.com', subject: 'ada' };
const EVE: Identity = { ...ADA, subject: 'eve' };

const allow = (): void => undefined;

const refuse = (): never => {
  throw new Error('refused');
};

/** The contract of {@link PersonRepository}, and of sessions that act as people. */
export function describePersonRepository(name: string, open: OpenStores): void {
  describe(`${name}: person repository`, () => {
    const stores = storesOfEachTest(open);

    const add = async (details: Partial<Person> = {}): Promise<Person & { hash: string }> => {
      const workspaceId = details.workspaceId ?? (await addWorkspace(stores.one)).id;
      const person = samplePerson(workspaceId, details);
      const hash = newId();
      expect(await stores.one.people.insert(person, { hash, expiresAt: NOW + 5 })).toBe('kept');
      return { ...person, hash };
    };
    const signIn = async (grounds: SessionGrounds, { sessions }: Stores = stores.one): Promise<Uuid | null> => {
      const times = { createdAt: NOW, expiresAt: NOW + 9, lastUsedAt: null };
      const session: Session = { id: newId(), tokenId: null, name: 'Browser', ...times };
      const isBegun = await sessions.insert(session, { hash: session.id, grounds, replacedHash: null });
      return isBegun ? session.id : null;
    };
    const byLink = (hash: string) => signIn({ kind: 'invitation', hash });
    const byProvider = (identity: Identity) => signIn({ kind: 'identity', identity });
    const actsAs = async (session: Uuid | null): Promise<readonly Uuid[]> =>
      session === null ? [] : (await stores.two.people.ofSession(session)).map(({ id }) => id);

    test('keeps people, for every instance, and lists those of a workspace, newest first', async () => {
      const { hash, ...ada } = await add({ email: 'Ada@Example.com' });
      const { workspaceId } = ada;
      const { hash: _, ...bob } = await add({ workspaceId, role: 'viewer', createdAt: NOW + 1 });
      await add();
      expect(await stores.two.people.find(ada.id)).toEqual(ada);
      expect(await stores.two.people.findInvited(hash)).toEqual(ada);
      expect(await stores.two.people.find(newId())).toBeNull();
      expect(await stores.two.people.findInvited('unknown')).toBeNull();
      expect(await stores.two.people.list(workspaceId, PAGE)).toEqual({ items: [bob, ada], total: 2 });
      expect(await stores.two.people.list(workspaceId, { offset: 1, limit: 1 })).toEqual({ items: [ada], total: 2 });
    });

    test('refuses an e-mail address that another person of the workspace has, regardless of case', async () => {
      const { workspaceId, id } = await add({ email: 'ada@example.com' });
      const other = await add({ workspaceId });
      const again = samplePerson(workspaceId, { email: 'ADA@example.com' });
      expect(await stores.two.people.insert(again, { hash: 'x', expiresAt: NOW })).toBe('email');
      const change = { email: 'Ada@Example.com' };
      expect(await stores.two.people.update(other.id, change, NOW + 1, allow)).toBe('email');
      expect(await stores.two.people.update(id, change, NOW + 1, allow)).toMatchObject(change);
      await add({ email: 'ada@example.com' });
    });

    test('starts one session per link, and makes its person active', async () => {
      const { id, hash } = await add();
      const session = await byLink(hash);
      expect(await actsAs(session)).toEqual([id]);
      expect(await byLink(hash)).toBeNull();
      expect(await stores.two.people.find(id)).toMatchObject({ status: 'active', invitationExpiresAt: null });
      const holder = { people: [id] };
      expect((await stores.two.sessions.list(holder, NOW, PAGE)).items.map((each) => each.id)).toEqual([
        `${session}` as Uuid,
      ]);
      expect(await stores.two.sessions.end({ people: [newId()] }, `${session}` as Uuid)).toBe(false);
      expect(await stores.two.sessions.end(holder, `${session}` as Uuid)).toBe(true);
      expect(await actsAs(session)).toEqual([]);
    });

    testRace(stores, 'starts one session for two concurrent uses of a link', async (race) => {
      const { id, hash } = await add();
      const begin = (store: Stores) => signIn({ kind: 'invitation', hash }, store);
      const begun = await race(begin, begin);
      expect(begun.filter((session) => session === null).length).toBe(1);
      expect((await stores.one.sessions.list({ people: [id] }, NOW, PAGE)).total).toBe(1);
    });

    test('ends only the sessions and the link of a person, and only if the check of the row passes', async () => {
      const ends: readonly [string, (id: Uuid, judge: typeof allow) => Promise<unknown>][] = [
        ['endSessions', (id, judge) => stores.two.people.endSessions(id, judge)],
        ['invite', (id, judge) => stores.two.people.invite(id, { hash: newId(), expiresAt: NOW }, NOW, judge)],
        ['e-mail', (id, judge) => stores.two.people.update(id, { email: 'new@example.com' }, NOW, judge)],
        ['remove', (id, judge) => stores.two.people.remove(id, judge)],
      ];
      const other = await add();
      const others = await byLink(other.hash);
      for (const [what, end] of ends) {
        const email = 'ada@example.com';
        const [linked, bound, unused] = [await add(), await add({ email }), await add()];
        const people = await stores.one.people.bind(ADA, email, NOW);
        const sessions = [await byLink(linked.hash), await byProvider(ADA)];
        expect([what, await Promise.all(sessions.map(actsAs))]).toEqual([
          what,
          [[linked.id], people.map(({ id }) => id)],
        ]);
        expect(await outcomeOf(end(linked.id, refuse))).toThrow('refused');
        expect(await actsAs(`${sessions[0]}` as Uuid)).toEqual([linked.id]);
        for (const { id } of [linked, bound, unused]) await end(id, allow);
        const left = await Promise.all(sessions.map(actsAs));
        expect([what, left.flat().filter((id) => id === linked.id || id === bound.id)]).toEqual([what, []]);
        expect([what, await stores.two.people.findInvited(unused.hash)]).toEqual([what, null]);
        for (const { id } of [linked, bound, unused]) await stores.one.people.remove(id, allow);
      }
      expect(await actsAs(others)).toEqual([other.id]);
      for (const [, end] of ends) expect(Boolean(await end(newId(), allow))).toBe(false);
    });

    test('ends nothing if a name or a role changes', async () => {
      const { id, hash } = await add({ email: 'ada@example.com' });
      const session = await byLink(hash);
      const changed = await stores.two.people.update(id, { name: 'Bob', role: 'manager' }, NOW + 1, allow);
      expect(changed).toMatchObject({ name: 'Bob', role: 'manager', email: 'ada@example.com', updatedAt: NOW + 1 });
      expect(await stores.one.people.ofSession(`${session}` as Uuid)).toEqual([changed as Person]);
    });

    test('binds an identity to the person with the e-mail address, once in each workspace', async () => {
      const email = 'ada@example.com';
      const [here, there, nobody] = [await add({ email }), await add({ email: 'ADA@example.com' }), await add()];
      const session = await byLink(here.hash);
      expect(await stores.one.people.bind(ADA, null, NOW)).toEqual([]);
      expect(await byProvider(ADA)).toBeNull();
      const bound = (await stores.one.people.bind(ADA, email, NOW + 1)).map(({ id }) => id);
      expect(bound).toEqual([here.id, there.id].toSorted());
      expect(await stores.two.people.find(here.id)).toMatchObject({
        status: 'active',
        identity: ADA,
        updatedAt: NOW + 1,
      });
      expect([await actsAs(session), await byLink(there.hash)]).toEqual([[], null]);
      expect(await actsAs(await byProvider(ADA))).toEqual(bound);
      // An identity with the same address isn't bound to these people, because the address may belong to another user
      // by now.
      expect(await stores.one.people.bind(EVE, email, NOW)).toEqual([]);
      // The address that is bound contains the Kelvin sign, whose lower case is k.
      await add({ email: 'mike@example.com' });
      expect(await stores.one.people.bind(EVE, 'mi\u212ae@example.com', NOW)).toEqual([]);
      // An identity that is already bound to a person in this workspace isn't bound to a second one.
      const double = await add({ workspaceId: here.workspaceId, email: 'second@example.com' });
      expect((await stores.one.people.bind(ADA, 'second@example.com', NOW)).map(({ id }) => id)).toEqual(bound);
      expect(await stores.two.people.find(double.id)).toMatchObject({ identity: null });
      expect(await stores.two.people.find(nobody.id)).toMatchObject({ identity: null, status: 'invited' });
    });

    test('unbinds an identity by a new link or another e-mail address', async () => {
      const email = 'ada@example.com';
      const [one, two, three] = [await add({ email }), await add({ email }), await add({ email })];
      await stores.one.people.bind(ADA, email, NOW);
      const session = await byProvider(ADA);
      await stores.two.people.invite(one.id, { hash: 'again', expiresAt: NOW + 7 }, NOW, allow);
      await stores.two.people.update(two.id, { email: 'other@example.com' }, NOW, allow);
      expect(await actsAs(session)).toEqual([three.id]);
      const unbound = { identity: null, status: 'invited' };
      expect(await stores.two.people.find(one.id)).toMatchObject({ ...unbound, invitationExpiresAt: NOW + 7 });
      expect(await stores.two.people.find(two.id)).toMatchObject({ ...unbound, invitationExpiresAt: null });
      expect((await stores.one.people.bind(EVE, email, NOW)).map(({ id }) => id)).toEqual([one.id]);
    });

    test('removes people in the first step of the removal of their workspace', async () => {
      const { id, workspaceId, hash } = await add();
      const session = await byLink(hash);
      await stores.one.workspaces.beginRemoval(workspaceId, NOW);
      expect([await stores.two.people.find(id), await actsAs(session)]).toEqual([null, []]);
      expect(await stores.two.workspaces.removed(workspaceId)).toMatchObject({ people: 1 });
    });

    test('invites no person to a workspace that is being removed', async () => {
      const { workspaceId } = await add();
      await stores.one.workspaces.beginRemoval(workspaceId, NOW);
      const late = stores.two.people.insert(samplePerson(workspaceId), { hash: newId(), expiresAt: NOW });
      expect(await late).toBe('gone');
    });

    testRace(stores, 'binds an identity with two addresses once in a workspace', async (race) => {
      const one = await add({ email: 'one@example.com' });
      const two = await add({ email: 'two@example.com', workspaceId: one.workspaceId });
      const identity = { ...ADA, subject: newId() };
      const bind = (email: string) => (store: Stores) => store.people.bind(identity, email, NOW);
      const bound = await race(bind('one@example.com'), bind('two@example.com'));
      expect(new Set(bound.flat().map(({ id }) => id)).size).toBe(1);
      for (const { id } of [one, two]) await stores.one.people.remove(id, allow);
    });

    test('ends all sessions and links together', async () => {
      const [signedIn, unused] = [await add(), await add()];
      const session = await byLink(signedIn.hash);
      await stores.two.sessions.endAll();
      expect([await actsAs(session), await stores.one.people.findInvited(unused.hash)]).toEqual([[], null]);
    });

    test('returns the names of existing people and tokens', async () => {
      const person = await add({ name: 'Ada' });
      const token = sampleToken([person.workspaceId], { name: 'Script' });
      await stores.one.tokens.insert(token);
      const actors = [
        { kind: 'person', id: person.id },
        { kind: 'token', id: token.id },
        { kind: 'person', id: token.id },
        { kind: 'token', id: newId() },
      ] as const;
      expect(Object.fromEntries(await stores.two.people.namesOf(actors))).toEqual({
        [person.id]: 'Ada',
        [token.id]: 'Script',
      });
      expect((await stores.two.people.namesOf([])).size).toBe(0);
    });

    test('keeps no more people in a workspace than the limit', async () => {
      const { workspaceId } = await add();
      const insert = (person: Person) => stores.one.people.insert(person, { hash: person.id, expiresAt: NOW });
      const others = Array.from({ length: MAX_PEOPLE - 1 }, () => samplePerson(workspaceId));
      await Promise.all(others.map(insert));
      expect(await insert(samplePerson(workspaceId))).toBe('full');
    });

    testRace(stores, 'gives an e-mail address to one of two concurrent callers', async (race) => {
      const { workspaceId } = await add();
      const email = 'ada@example.com';
      const insert = ({ people }: Stores) =>
        people.insert(samplePerson(workspaceId, { email }), { hash: newId(), expiresAt: NOW });
      expect((await race(insert, insert)).toSorted()).toEqual(['email', 'kept']);
    });
  });
}
