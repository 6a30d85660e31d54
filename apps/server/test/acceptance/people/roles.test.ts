// These tests check what each role may do, for every operation of the document. A person, a token with the same scopes,
// and a session of this token must get the same answers.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asInput, asRest, procedureOf, trpc } from '../isolation/support/face.ts';
import { operatorShapes, type RequestShape, type Slot, shapes } from '../isolation/support/requests.ts';
import { make, withoutRetries } from '../isolation/support/resources.ts';
import { unusedId } from '../isolation/support/scene.ts';
import { at, type Reply, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { type Browser, signIn } from './support/browser.ts';

const READS = ['media:read', 'folders:read', 'analytics:read'];
const WRITES = ['media:write', 'folders:write', 'analytics:write'];
const SCOPES_OF: Readonly<Record<string, readonly string[]>> = {
  viewer: READS,
  editor: [...READS, ...WRITES],
  manager: [...READS, ...WRITES, 'webhooks:read', 'webhooks:write', 'people:read', 'people:write'],
};
const ROLES = Object.keys(SCOPES_OF);

type Send = (path: string, options: object) => Promise<Reply>;

let world: World;
/** The callers of each role: a token, a session of this token, and a person. */
const callers = new Map<string, Readonly<Record<'token' | 'session' | 'person', Send>>>();

beforeAll(async () => {
  world = await World.open(withoutRetries);
  for (const role of ROLES) {
    const scopes = (SCOPES_OF[role] ?? []).flatMap((scope) => ['--scope', scope]);
    await world.token(role, '{workspace}', scopes);
    const by = ({ ask }: Browser): Send => ask;
    callers.set(role, {
      token: (send, options) => world.call(send, { ...options, token: role }),
      session: by(await signIn(world, { token: world.tokens[role] })),
      person: by(await signIn(world, { code: await invited(role) })),
    });
  }
});

afterAll(() => world.close());

async function invited(role: string): Promise<string> {
  const json = { name: `The ${role}`, role };
  const reply = await world.call('POST /workspaces/{workspace}/people', { json });
  return new URL(stringAt(reply.json, 'data', 'invitation')).hash.slice('#code='.length);
}

/**
 * Creates the resources that a request names, in the workspace of the callers or in the foreign one.
 *
 * @returns the ids by slot
 */
async function idsIn(tenant: 'own' | 'foreign', { slots }: RequestShape): Promise<(slot: Slot) => string> {
  const [workspace, token] = tenant === 'own' ? ['workspace', 'all'] : ['foreign', 'foreign'];
  const home = { workspace: String(world.ids[workspace]), token };
  const made = new Map<Slot, string>();
  for (const slot of slots) made.set(slot, await make[slot.kind](world, home));
  return (slot) => made.get(slot) ?? '';
}

const URL_OF = 'http://127.0.0.1:9/beach.jpg';

function requestsOf(shape: RequestShape, idOf: (slot: Slot) => string): readonly (readonly [string, object])[] {
  const content = shape.content(idOf, URL_OF);
  const rest = asRest(shape, content);
  if (!trpc.takes(shape)) return [rest];
  const [input, name] = [asInput(content), procedureOf(shape)];
  const query = encodeURIComponent(JSON.stringify(input));
  return [
    rest,
    shape.method === 'GET' ? [`GET /trpc/${name}?input=${query}`, {}] : [`POST /trpc/${name}`, { json: input }],
  ];
}

/**
 * The shapes that need a scope. A stream of events needs none, because it checks scopes for each event. A caller's own
 * sessions need none either.
 */
const judged = [...shapes, ...operatorShapes].filter(({ isStream, scope }) => !isStream && scope !== null);
const named = judged.map((shape) => [shape.name, shape] as const);

describe.each(named)('%s', (_, shape) => {
  const inPath = shape.slots.find(({ where }) => where === 'path');
  const scope = shape.scope ?? '';

  test('is refused to roles without its scope, with the same answer for every kind of caller', async () => {
    const idOf = await idsIn('own', shape);
    for (const role of ROLES.filter((each) => !SCOPES_OF[each]?.includes(scope))) {
      const { token, session, person } = callers.get(role) ?? expect.unreachable();
      for (const [send, options] of requestsOf(shape, idOf)) {
        const replies = [await token(send, options), await session(send, options), await person(send, options)];
        for (const reply of replies) expect([role, reply.status]).toEqual([role, 403]);
        for (const reply of replies) expect(reply.text).toContain(`The scope ${scope} is missing.`);
        expect(replies.map(bodyOf)).toEqual(replies.map(() => bodyOf(replies[0])));
      }
    }
  });

  if (inPath !== undefined && scope !== 'operator') {
    test('is answered 404 in another workspace, whatever the role', async () => {
      const foreign = await idsIn('foreign', shape);
      for (const role of ROLES) {
        const person = callers.get(role)?.person ?? expect.unreachable();
        for (const idOf of [foreign, (slot: Slot) => unusedId(foreign(slot))]) {
          for (const [send, options] of requestsOf(shape, idOf))
            expect([role, (await person(send, options)).status]).toEqual([role, 404]);
        }
      }
    });
  }

  test('is allowed to roles with its scope', async () => {
    for (const role of ROLES.filter((each) => SCOPES_OF[each]?.includes(scope))) {
      const { session, ...others } = callers.get(role) ?? expect.unreachable();
      // A session has the scopes of its token, so the sessions of one role suffice.
      for (const caller of [...Object.values(others), ...(role === 'manager' ? [session] : [])]) {
        const idOf = await idsIn('own', shape);
        const [request] = requestsOf(shape, idOf);
        if (!request) continue;
        const { status, text } = await caller(...request);
        if (status > 299 && status !== 422) expect([role, `${status} ${text}`]).toEqual([role, 'a success, or a 422']);
      }
    }
  });
});

const bodyOf = (reply: Reply | undefined) =>
  reply && { status: reply.status, body: at(reply.json, 'message') ?? at(reply.json, 'error', 'message') };
