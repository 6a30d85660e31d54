import { expect, test } from 'bun:test';
import { at } from '../../support/reply.ts';
import { asInput, comparable, procedureOf } from './face.ts';
import { replacing, type ShapeContext, unusedId } from './scene.ts';

/** Requests that only tRPC allows: several calls at once, where valid calls must not lend their access to forbidden ones. */
export function batches({ shape, scene, own }: ShapeContext): void {
  if (shape.method !== 'GET') return;
  for (const slot of shape.slots) {
    test(`tells nothing of ${slot.field} in a batch behind a good call`, async () => {
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
      // The good call may say what time it is.
      const [one, other] = replies.map((reply) => ({ ...comparable(reply), body: at(reply.json, 1) }));
      expect(one).toEqual(other as typeof one);
    });
  }
}
