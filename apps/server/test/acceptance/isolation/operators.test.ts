// Operators run the service, but can't read its workspaces. Nobody else can call their operations.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { World } from '../support/world.ts';
import { rest, trpc } from './support/face.ts';
import { operatorShapes, type RequestShape, type Slot, shapes } from './support/requests.ts';
import { make, withoutRetries } from './support/resources.ts';
import { expectAlike, unusedId } from './support/scene.ts';

let world: World;

beforeAll(async () => {
  world = await World.open(withoutRetries);
  await world.operator();
});

afterAll(() => world.close());

const home = () => ({ workspace: String(world.ids.workspace), token: 'all' });

async function ownIds({ slots }: RequestShape): Promise<(slot: Slot) => string> {
  const made = new Map<Slot, string>();
  for (const slot of slots) made.set(slot, await make[slot.kind](world, home()));
  return (slot) => made.get(slot) ?? '';
}

describe.each([rest, trpc])('operators over $name', (face) => {
  const taken = (all: readonly RequestShape[]) => all.filter(face.takes).map((shape) => [shape.name, shape] as const);

  const refusals = async (shape: RequestShape, token: string) => {
    const own = await ownIds(shape);
    const send = (idOf: (slot: Slot) => string) =>
      face.send(world, shape, shape.content(idOf, 'https://example.com/'), token);
    const replies = [await send(own), await send((slot) => unusedId(own(slot)))];
    expectAlike(replies);
    return replies[0];
  };

  const isOfPeople = ({ scope }: RequestShape) => scope?.startsWith('people:') ?? false;

  test.each(taken(shapes.filter(isOfPeople)))('%s is allowed with an operator token', async (_, shape) => {
    const reply = await face.send(world, shape, shape.content(await ownIds(shape), ''), 'operator');
    expect([200, 201, 204]).toContain(reply.status);
  });

  test.each(taken(shapes.filter((shape) => !isOfPeople(shape))))(
    '%s reveals nothing to an operator token',
    async (_, shape) => {
      const reply = await refusals(shape, 'operator');
      // Only the operations on the token itself and its sessions need no scope. Their answers contain no workspace's
      // data.
      if (shape.scope !== null)
        expect([reply?.status, reply?.text]).toEqual([403, expect.stringContaining(shape.scope)]);
      else if (shape.slots.length > 0) expect(reply?.status).toBe(404);
      else expect(reply?.text).not.toContain(home().workspace);
    },
  );

  test.each(taken(operatorShapes))('%s is forbidden without an operator token', async (_, shape) => {
    const reply = await refusals(shape, 'all');
    expect([reply?.status, reply?.text]).toEqual([403, expect.stringContaining('The scope operator is missing')]);
  });
});
