import { expect, test } from 'bun:test';
import { at } from '../../support/reply.ts';
import { asInput, comparable, procedureOf } from './face.ts';
import { replacing, type ShapeContext, unusedId } from './scene.ts';

/** Adds tests of batches, which only tRPC has: a permitted call must not give access to a forbidden one. */
export function batches({ shape, scene, own }: ShapeContext): void {
  if (shape.method !== 'GET') return;
  for (const slot of shape.slots) {
    test(`reveals nothing about ${slot.field} in a batch after an allowed call`, async () => {
      const procedure = procedureOf(shape);
      const attempt = (id: string) => {
        const contents = [own(), replacing(own(), slot, id)].map((ids) => asInput(scene().content(shape, ids)));
        const input = encodeURIComponent(JSON.stringify({ ...contents }));
        return scene().intrudeWith(`GET /trpc/${procedure},${procedure}?batch=1&input=${input}`, {});
      };
      const id = scene().owners(slot);
      const replies = await Promise.all([attempt(id), attempt(unusedId(id))]);
      expect(replies.map(({ status }) => status)).toEqual([207, 207]);
      for (const { json } of replies) {
        expect(at(json, 0, 'result')).toBeDefined();
        expect(at(json, 1, 'error', 'data', 'httpStatus')).toBe(slot.where === 'path' ? 404 : 422);
      }
      // Compares only the answers to each batch's second call. Those to the first call may contain the current time.
      const [one, other] = replies.map((reply) => ({ ...comparable(reply), body: at(reply.json, 1) }));
      expect(one).toEqual(other as typeof one);
    });
  }
}
