import { expect, test } from 'bun:test';
import { operations } from '../../support/contract.ts';
import type { CallOptions } from '../../support/world.ts';
import { asRest, rest } from './face.ts';
import type { Content } from './requests.ts';
import { expectAlike, type Ids, replacing, type ShapeContext, unusedId } from './scene.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/** Bodies and headers that are answered with other refusals, and must not be before an id is looked at. */
const ODDITIES: readonly CallOptions[] = [
  {},
  { headers: { 'content-type': 'application/json' }, body: '{}' },
  { headers: { 'content-type': 'application/json' }, body: '{' },
  { headers: { 'content-type': 'application/json' }, body: '[]' },
  { headers: { 'content-type': 'text/plain' }, body: 'x' },
  { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' },
  { headers: { 'content-type': 'application/json' }, body: '{"name":1,"files":1,"metrics":1}' },
];

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'if-none-match': '*' },
  { 'if-match': '*' },
  { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
  { range: 'bytes=0-0' },
  { accept: 'text/html' },
  { origin: 'https://elsewhere.example' },
  { 'x-http-method-override': 'DELETE' },
];

/** Names that paths have for ids, and what a clumsy binding might take besides. */
const NAMES = [
  ...new Set(
    operations
      .flatMap(({ segments }) => segments.filter((segment) => segment.startsWith('{')))
      .map((segment) => segment.slice(1, -1))
      .flatMap((name) => [name, `${name}_id`]),
  ),
];

/** Requests that only REST allows: other methods, bodies and headers, and the same id in several places. */
export function oddRequests({ shape, scene, own }: ShapeContext): void {
  const inPath = shape.slots.filter(({ where }) => where === 'path');

  for (const slot of inPath) {
    /** The pair of answers to an id of the owner and to one that never was. */
    const pair = async (change: (target: string, options: CallOptions) => [string, CallOptions]) => {
      const id = scene().owners(slot);
      const attempt = (one: string) => {
        const [send, options] = asRest(shape, scene().content(shape, replacing(own(), slot, one)));
        return scene().intrudeWith(...change(send.slice(send.indexOf(' ') + 1), options));
      };
      const replies = await Promise.all([attempt(id), attempt(unusedId(id))]);
      for (const { status } of replies) expect(status).toBeWithin(400, 500);
      expectAlike(replies);
    };

    test(`tells nothing of ${slot.field} by other methods, bodies and headers`, async () => {
      for (const method of METHODS) await pair((target) => [`${method} ${target}`, {}]);
      const bodies = shape.method === 'GET' ? [] : ODDITIES;
      for (const body of bodies) await pair((target) => [`${shape.method} ${target}`, body]);
      for (const headers of HEADERS) {
        await pair((target, options) => [
          `${shape.method} ${target}`,
          { ...options, headers: { ...options.headers, ...headers } },
        ]);
      }
    });

    test(`isn't led astray by an id of one's own beside the owner's as ${slot.field}`, async () => {
      const id = scene().owners(slot);
      const beside = (one: string) => withMore(scene().content(shape, replacing(own(), slot, one)), () => own()(slot));
      const replies = await Promise.all(
        [id, unusedId(id)].map((one) => scene().intrudeWith(...asRest(shape, beside(one)))),
      );
      for (const reply of replies) rest.expectMissing(reply);
      expectAlike(replies);
    });
  }

  test("does to one's own what it is asked to, whatever ids of the owner stand elsewhere in the request", async () => {
    const before = await scene().state();
    const ids: Ids = await scene().ownIds(shape, scene().intruder);
    const content = withMore(scene().content(shape, ids), (name) => {
      const slot = inPath.find(({ field }) => name.startsWith(field));
      return slot ? scene().owners(slot) : scene().owner.workspace;
    });
    rest.expectDone(await scene().intrudeWith(...asRest(shape, content)));
    expect(await scene().state()).toEqual(before);
  });

  /** With an id under every name that isn't the operation's, in query and body. */
  function withMore({ path, query, body }: Content, idOf: (name: string) => string): Content {
    const names = NAMES.filter((name) => !shape.fields.includes(name));
    const more = Object.fromEntries(names.map((name) => [name, idOf(name)]));
    return { path, query: { ...query, ...more }, body: body === undefined ? undefined : { ...Object(body), ...more } };
  }
}
