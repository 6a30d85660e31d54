import { afterEach, expect, test } from 'bun:test';
import { accessOfPeople, type Identity, type Person, type Uuid, type Workspace } from '@postshelf/domain';
import { addWorkspace, samplePerson } from '@postshelf/testing/contracts/samples';
import fc from 'fast-check';
import {
  callerOf,
  changePerson,
  checkCredentials,
  findPerson,
  inviteAgain,
  invitePerson,
  removePerson,
  signInByProvider,
  startSession,
} from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { makeWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const EVE: Identity = { issuer: 'https://id.example.com', subject: 'eve' };
const VIC: Identity = { issuer: 'https://id.example.com', subject: 'vic' };

/** The address `eve@` is Eve's, and verified. The others belong to people of the other workspace. */
const EMAILS = ['eve@example.com', 'vic@example.com', 'Vic@example.com', 'una@example.com'];

interface Play {
  readonly world: World;
  readonly here: Workspace;
  /** The manager of `here`. */
  readonly eve: Person;
  /** People in `there`, a workspace that Eve must never access. */
  readonly victims: readonly Person[];
  readonly codes: string[];
  readonly sessions: Uuid[];
}

type Step = (play: Play) => Promise<unknown>;

const asManager = ({ eve }: Play) => callerOf(accessOfPeople([eve]), 'people:write');

async function peopleHere({ world, here }: Play): Promise<readonly Person[]> {
  return (await world.people.list(here.id, { offset: 0, limit: 100 })).items;
}

const nth = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(all.length, 1)];

async function keepSession(play: Play, signIn: Parameters<typeof startSession>[1] | null): Promise<void> {
  if (signIn) play.sessions.push((await startSession(play.world, signIn, null, null)).session.id);
}

const email = fc.constantFrom(...EMAILS);
const role = fc.constantFrom('viewer' as const, 'editor' as const, 'manager' as const);
const index = fc.nat(20);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(email, role).map(([address, given]) => async (play: Play) => {
    const { code } = await invitePerson(play.world, asManager(play), play.here, {
      name: 'x',
      email: address,
      role: given,
    });
    play.codes.push(code);
  }),
  fc.tuple(index, email).map(([at, address]) => async (play: Play) => {
    const person = nth(await peopleHere(play), at);
    if (person) await changePerson(play.world, asManager(play), person, { email: address });
  }),
  index.map((at) => async (play: Play) => {
    const person = nth(await peopleHere(play), at);
    if (person) play.codes.push((await inviteAgain(play.world, asManager(play), person)).code);
  }),
  index.map((at) => async (play: Play) => {
    const code = nth(play.codes, at);
    if (code !== undefined) await keepSession(play, await checkCredentials(play.world, { code }));
  }),
  fc.constant(async (play: Play) =>
    keepSession(play, await signInByProvider(play.world, { ...EVE, email: 'eve@example.com' })),
  ),
  // Eve's provider may claim any address for her, but only as unverified.
  fc.constant(async (play: Play) => keepSession(play, await signInByProvider(play.world, { ...EVE, email: null }))),
  // The other workspace stays active: its people sign in, and are invited again.
  fc.constant(async ({ world }: Play) => signInByProvider(world, { ...VIC, email: 'vic@example.com' })),
  index.map((at) => async ({ world, victims }: Play) => {
    const victim = nth(victims, at);
    if (victim) await inviteAgain(world, null, victim);
  }),
  index.map((at) => async (play: Play) => {
    const victim = nth(play.victims, at);
    if (!victim) return;
    const found = await findPerson(play.world, asManager(play), victim.id).catch(() => null);
    expect(found).toBeNull();
    const attempts = [
      changePerson(play.world, asManager(play), victim, { email: 'eve@example.com', role: 'manager' }),
      inviteAgain(play.world, asManager(play), victim),
      removePerson(play.world, asManager(play), victim.id),
      invitePerson(play.world, asManager(play), { id: victim.workspaceId }, { name: 'x', email: null, role: 'viewer' }),
    ];
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'));
  }),
);

test('a manager never gains access to another workspace by inviting, changing or linking people', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = await makeWorld();
      const [here, there] = [await addWorkspace(world), await addWorkspace(world)];
      const eve = samplePerson(here.id, { role: 'manager', email: 'eve@example.com', invitationExpiresAt: null });
      const victims = EMAILS.slice(1, 4)
        .filter((_, at) => at !== 1)
        .map((address) => samplePerson(there.id, { email: address, role: 'manager' }));
      for (const person of [eve, ...victims])
        await world.people.insert(person, { hash: person.id, expiresAt: Number.MAX_SAFE_INTEGER });
      const play: Play = { world, here, eve, victims, codes: [], sessions: [] };
      // Refused steps change nothing.
      for (const each of steps) await each(play).catch((error: Error) => expect(error.name).toBe('Refusal'));
      for (const session of play.sessions) {
        const entered = (await world.people.ofSession(session)).map(({ workspaceId }) => workspaceId);
        expect(entered.filter((id) => id !== here.id)).toEqual([]);
      }
      await databases.closeAll();
    }),
    { numRuns: 40 },
  );
});
