import { expect, test } from 'bun:test';
import { at } from '../../support/reply.ts';
import { asInput, essence, procedureOf } from './face.ts';
import { but, neverWas, type ShapeContext } from './scene.ts';

/** What tRPC alone allows to ask: several calls at once, of which the good ones must not lend anything to the bad. */
export function batches({ shape, scene, own }: ShapeContext): void {
  if (shape.method !== 'GET') return;
  for (const slot of shape.slots) {
    test(`tells nothing of ${slot.field} in a batch behind a good call`, async () => {
      const procedure = procedureOf(shape);
      const ask = (id: string) => {
        const contents = [own(), but(own(), slot, id)].map((ids) => asInput(scene().content(shape, ids)));
        const input = encodeURIComponent(JSON.stringify({ ...contents }));
        return scene().intrudeWith(`GET /trpc/${procedure},${procedure}?batch=1&input=${input}`, {});
      };
      const id = scene().owners(slot);
      const replies = await Promise.all([ask(id), ask(neverWas(id))]);
      expect(replies.map(({ status }) => status)).toEqual([207, 207]);
      for (const { json } of replies) {
        expect(at(json, 0, 'result')).toBeDefined();
        expect(at(json, 1, 'error', 'data', 'httpStatus')).toBe(slot.where === 'path' ? 404 : 422);
      }
      // The good call may say what time it is.
      const [one, other] = replies.map((reply) => ({ ...essence(reply), body: at(reply.json, 1) }));
      expect(one).toEqual(other as typeof one);
    });
  }
}
