import { expect, test } from 'bun:test';
import { operations } from '../../support/contract.ts';
import type { CallOptions } from '../../support/world.ts';
import { asRest, isTus, rest } from './face.ts';
import { type Content, isPossible, type RequestShape, shapes } from './requests.ts';
import { expectAlike, type Ids, replacing, type ShapeContext, unusedId } from './scene.ts';
import { someOf } from './some-of.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/**
 * Bodies that are refused for reasons other than an id. The answers must not reveal whether an id in the path exists.
 */
const ODDITIES: readonly CallOptions[] = [
  {},
  { headers: { 'content-type': 'application/json' }, body: '{}' },
  { headers: { 'content-type': 'application/json' }, body: '{' },
  { headers: { 'content-type': 'application/json' }, body: '[]' },
  { headers: { 'content-type': 'text/plain' }, body: 'x' },
  { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' },
  { headers: { 'content-type': 'application/json' }, body: '{"name":1,"files":1,"metrics":1}' },
];

/**
 * Whether a shape is the first one with its path. Other methods are tried only for this shape, because the requests
 * would be the same for the other shapes with this path.
 */
const isFirstOfPath = (shape: RequestShape): boolean => shapes.find(({ path }) => path === shape.path) === shape;

/** Headers that could change the answer. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'if-none-match': '*' },
  { 'if-match': '*' },
  { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
  { range: 'bytes=0-0' },
  { accept: 'text/html' },
  { origin: 'https://elsewhere.example' },
  { 'x-http-method-override': 'DELETE' },
];

/** The names of ids in paths, and the same names with `_id`, which a careless parser might also accept. */
const NAMES = [
  ...new Set(
    operations
      .flatMap(({ segments }) => segments.filter((segment) => segment.startsWith('{')))
      .map((segment) => segment.slice(1, -1))
      .flatMap((name) => [name, `${name}_id`]),
  ),
];

/** Adds tests that only REST allows: other methods, bodies and headers, and additional ids in query and body. */
export function oddRequests({ shape, scene, own }: ShapeContext): void {
  const inPath = shape.slots.filter(({ where }) => where === 'path');

  const nth = shapes.indexOf(shape);

  for (const slot of inPath) {
    /** Sends a request with an id of the owner, and with one that never existed, and expects the same refusal. */
    const expectSame = async (change: (target: string, options: CallOptions) => [string, CallOptions]) => {
      const id = scene().owners(slot);
      const attempt = (one: string) => {
        const [send, options] = asRest(shape, scene().content(shape, replacing(own(), slot, one)));
        return scene().intrudeWith(...change(send.slice(send.indexOf(' ') + 1), options));
      };
      const replies = await Promise.all([attempt(id), attempt(unusedId(id))]);
      for (const { status } of replies) expect(status).toBeWithin(400, 500);
      expectAlike(replies);
    };

    test(`reveals nothing about ${slot.field} with other methods, bodies and headers`, async () => {
      // OPTIONS is left out for resumable uploads, because it gives everyone the same answer, for any id.
      const methods = isTus(shape.path) ? METHODS.filter((method) => method !== 'OPTIONS') : METHODS;
      if (isFirstOfPath(shape))
        for (const method of someOf(methods, nth, 3)) await expectSame((target) => [`${method} ${target}`, {}]);
      const bodies = shape.method === 'GET' ? [] : someOf(ODDITIES, nth, 2);
      for (const body of bodies) await expectSame((target) => [`${shape.method} ${target}`, body]);
      for (const headers of someOf(HEADERS, nth, 2)) {
        await expectSame((target, options) => [
          `${shape.method} ${target}`,
          { ...options, headers: { ...options.headers, ...headers } },
        ]);
      }
    });

    test(`ignores the intruder's ids in additional fields if ${slot.field} has the owner's id`, async () => {
      const id = scene().owners(slot);
      const beside = (one: string) => withMore(scene().content(shape, replacing(own(), slot, one)), () => own()(slot));
      const replies = await Promise.all(
        [id, unusedId(id)].map((one) => scene().intrudeWith(...asRest(shape, beside(one)))),
      );
      for (const reply of replies) rest.expectMissing(reply);
      expectAlike(replies);
    });
  }

  test.skipIf(!isPossible(shape))(
    "works with the intruder's ids, and ignores the owner's ids in additional fields",
    async () => {
      const ids: Ids = await scene().ownIds(shape, scene().intruder);
      const content = withMore(scene().content(shape, ids), (name) => {
        const slot = inPath.find(({ field }) => name.startsWith(field));
        return slot ? scene().owners(slot) : scene().owner.workspace;
      });
      rest.expectDone(await scene().intrudeWith(...asRest(shape, content)));
    },
  );

  /** Adds an id to query and body under every name that isn't a field of the operation. */
  function withMore({ path, query, body }: Content, idOf: (name: string) => string): Content {
    const names = NAMES.filter((name) => !shape.fields.includes(name));
    const more = Object.fromEntries(names.map((name) => [name, idOf(name)]));
    return { path, query: { ...query, ...more }, body: body === undefined ? undefined : { ...Object(body), ...more } };
  }
}
