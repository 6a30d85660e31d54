import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Face, rest } from './face.ts';
import { isPossible, type Slot, shapes } from './requests.ts';
import { expectAlike, type Ids, replacing, Scene, type ShapeContext, unusedId } from './scene.ts';
import { someOf } from './some-of.ts';
import { expectUnchanged } from './state.ts';

// Setting up a scene starts about twenty processes, so all faces share one scene in each test process.
let opened: Promise<Scene> | undefined;

async function sceneOver(face: Face): Promise<Scene> {
  opened ??= Scene.open(face);
  return (await opened).over(face);
}

/** Other spellings of an id, some of which the service accepts as the same id. */
const SPELLINGS: readonly ((id: string) => string)[] = [
  (id) => id.toUpperCase(),
  (id) => `{${id}}`,
  (id) => `urn:uuid:${id}`,
  (id) => id.replaceAll('-', ''),
  (id) => ` ${id} `,
  (id) => `${id}\0`,
  (id) => `${id}/`,
];

/** Ends the scene, after the last suite. */
export const closeScene = async (): Promise<void> => (await opened)?.close();

/**
 * Attacks every operation of the document through one face, in every field that holds an id. New operations are
 * included automatically. If no example can be made for an operation, its test fails with the reason.
 *
 * @param more adds tests of a shape that apply only to this face
 */
export function isolationSuite(face: Face, more: (context: ShapeContext) => void): void {
  let scene: Scene;
  beforeAll(async () => {
    scene = await sceneOver(face);
  });
  afterAll(() => {
    process.stdout.write(`isolation over ${face.name}: ${scene.sent} requests\n`);
  });

  /** What was stored for the owner after the last operation. It changes only if the owner sends a request. */
  let known: readonly string[] | undefined;
  let slots = 0;
  const taken = shapes.filter(face.takes).map((shape, index) => [shape.name, shape, index] as const);
  describe.each(taken)('%s', (_, shape, index) => {
    let own: Ids;
    let before: readonly string[];
    beforeAll(async () => {
      own = await scene.ownIds(shape, scene.intruder);
      // The owner sends the same request first. A service that wrongly caches answers would then give the owner's
      // answer to the intruder. Checking this through one face is enough.
      if (face === rest) {
        const theirs = await scene.ownIds(shape, scene.owner);
        if (isPossible(shape)) face.expectDone(await scene.send(shape, theirs, scene.owner.token));
        known = undefined;
      }
      before = known ?? (await scene.state());
      expect(before.length).toBeGreaterThan(20);
    });

    const context: ShapeContext = { shape, scene: () => scene, own: () => own };
    for (const slot of shape.slots) {
      attackSlot(face, context, slot, slots);
      slots += 1;
    }
    more(context);

    if (shape.scope !== null) {
      test('returns a 403 that names the scope to a token without it, whatever the ids are', async () => {
        const token = `without ${shape.scope}`;
        const idSets: readonly Ids[] = [scene.owners, own, (slot) => unusedId(scene.owners(slot))];
        const replies = await Promise.all(idSets.map((ids) => scene.intrude(shape, ids, token)));
        expect(replies[0]?.status).toBe(403);
        expect(replies[0]?.text).toContain(`The scope ${shape.scope} is missing.`);
        expectAlike(replies);
      });
    }

    // The same code checks the token before every operation. So only the first operation is tried with all invalid
    // tokens, and each other operation with one of them.
    test('returns the same 401 to all invalid tokens, whatever the ids are', async () => {
      const tokens = [...scene.badTokens.values()];
      expect(tokens.length).toBeGreaterThan(25);
      const replies = [];
      for (const token of index === 0 ? tokens : someOf(tokens, index, 1)) {
        replies.push(await scene.intrude(shape, scene.owners, token));
        replies.push(await scene.intrude(shape, (slot) => unusedId(scene.owners(slot)), token));
      }
      expect(replies[0]?.status).toBe(401);
      expectAlike(replies);
    });

    test.skipIf(!isPossible(shape))('succeeds with only the required scope and the caller’s own ids', async () => {
      face.expectDone(await scene.intrude(shape, own, shape.scope === null ? undefined : `only ${shape.scope}`));
    });

    test("has not changed the owner's data", async () => {
      known = await scene.state();
      expectUnchanged(before, known);
    });
  });
}

function attackSlot(face: Face, { shape, scene, own }: ShapeContext, slot: Slot, nth: number): void {
  const isInPath = slot.where === 'path';
  // If a workspace is in the path, ids of another workspace must be refused in all other fields, even if the token has
  // access to both workspaces.
  const tokens = isInPath || shape.slots.every(({ where }) => where !== 'path') ? ['foreign'] : ['foreign', 'both'];

  test.each(tokens)(
    `treats the owner's id in ${slot.field} like one that never existed for the token "%s"`,
    async (token) => {
      const ids = scene().foreignIdsFor(slot.kind);
      const alike = ids.filter(({ kind }) => kind === slot.kind);
      const others = ids.filter(({ kind }) => kind !== slot.kind);
      // Ids of other kinds are tried only for one face and token, because the same code refuses them in all cases.
      const tried = face === rest && token === 'foreign' ? [...alike, ...someOf(others, nth, 4)] : alike;
      const attempt = (one: string) => scene().intrude(shape, replacing(own(), slot, one), token);
      const unknown = await attempt(unusedId(scene().owners(slot)));
      for (const { what, id } of tried) {
        const reply = await attempt(id);
        expectAlike([unknown, reply], what);
        if (isInPath) face.expectMissing(reply);
        else face.expectInvalid(shape, reply, slot.field);
      }
    },
  );

  test(`treats the owner's id in ${slot.field} like an unknown one in any other spelling`, async () => {
    const id = scene().owners(slot);
    for (const spell of someOf(SPELLINGS, nth, 1)) {
      const attempt = (one: string) => scene().intrude(shape, replacing(own(), slot, spell(one)));
      const replies = await Promise.all([attempt(id), attempt(unusedId(id))]);
      if (isInPath) for (const reply of replies) expect([400, 404]).toContain(reply.status);
      else for (const reply of replies) face.expectInvalid(shape, reply, slot.field);
      expectAlike(replies);
    }
  });
}
