import fc from 'fast-check';
import { anyJson } from '../arbitraries/json.ts';
import { AUTHORIZATION, framing, HOST, keyLines } from '../arbitraries/request.ts';
import { anyId, nastyText, weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import type { Target } from './target.ts';

const quoted = (text: string): string => JSON.stringify(Buffer.from(text, 'latin1').toString('utf8'));

/** Existing items. Cases move and tag them, but never delete them, because other cases need them. */
const OWN = words('{{media}} {{video}} {{temporary}}');
const OTHERS = words('{{unknown}} {{foreign}} {{workspace}} {{folder}} x 01890000-0000-7000-8000-00000000000G');

const someIds = (known: readonly string[]): fc.Arbitrary<readonly string[]> =>
  weighted(
    [5, fc.array(weighted([4, fc.constantFrom(...known)], [1, anyId.filter(isHarmless)]), { maxLength: 8 })],
    [1, fc.uniqueArray(fc.uuid(), { minLength: 100, maxLength: 120 })],
    [1, fc.constantFrom(499, 500, 501, 1000, 5000).map(numbered)],
  );

/** Whether no other case needs the item with this id. */
const isHarmless = (id: string): boolean => !OWN.includes(id);

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, nth) => `01890000-0000-7000-8000-${String(nth).padStart(12, '0')}`);

const tags = weighted(
  [4, fc.array(fc.oneof(fc.constantFrom('summer', 'Summer', ' summer ', 'ﬃ', 'İ'), nastyText), { maxLength: 5 })],
  [1, fc.constantFrom(30, 31, 3000).map((count) => Array.from({ length: count }, (_, nth) => `tag ${nth}`))],
).map((all) => `[${all.map(quoted).join()}]`);

const folder = fc.constantFrom('"{{folder}}"', 'null', '"{{unknown}}"', '"{{foreign}}"', '""', '[]', '0');

const batchBody = fc
  .constantFrom('move', 'tag', 'untag', 'delete', 'MOVE', '__proto__')
  .chain((action) =>
    fc.record({
      action: fc.constant(quoted(action)),
      ids: someIds(action === 'delete' ? OTHERS : [...OWN, ...OTHERS]).map((ids) => `[${ids.map(quoted).join()}]`),
      folder_id: weighted([3, folder], [1, fc.constant(undefined)]),
      tags: weighted([3, tags], [1, fc.constant(undefined)], [1, anyJson]),
    }),
  )
  .map(write);

const fitBody = fc
  .record({
    target: fc.constantFrom(
      '"instagram.feed"',
      '"x.post"',
      '"instagram.reel"',
      '"nowhere"',
      '"__proto__"',
      '["x.post"]',
    ),
    how: weighted([2, fc.constantFrom('"pad"', '"crop"', '"PAD"', 'null')], [2, fc.constant(undefined)]),
  })
  .map(write);

function write(fields: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{${pairs.map(([name, value]) => `"${name}":${value}`).join()}}`;
}

const withFields = (body: string, more: string): string => `{${more}${body === '{}' ? '' : ','}${body.slice(1)}`;

const checkBody = fc
  .record({
    targets: weighted(
      [3, fc.constantFrom('["x.post"]', '["tiktok.post","tiktok.post"]', '["nowhere"]', '[]', '"x.post"', 'null')],
      [1, fc.constant(undefined)],
      [1, anyJson],
    ),
  })
  .map(write);

const SECONDS = words('0 -0 0.5 1 1.999 2 3 60 -1 1e400 1e-400 "1" null true [1] {}');
const COVERS = ['{{media}}', '{{media}}', ...OWN, '{{trashed}}', ...OTHERS].map(quoted);

const frameAt = fc.constantFrom(...SECONDS).map((at) => `{"at":${at}}`);
const copyOf = weighted([6, fc.constantFrom(...COVERS)], [1, anyJson]).map((id) => `{"media_content_id":${id}}`);
const bothCovers = fc.constantFrom('{"at":0,"media_content_id":"{{media}}"}', '{}', 'null', '[]', '"{{media}}"');

/** A body that chooses a cover, with or without another change. The service has to apply all of it or nothing. */
const coverBody = fc
  .record({
    cover: weighted([3, frameAt], [4, copyOf], [1, bothCovers], [1, anyJson]),
    folder_id: weighted([1, folder], [4, fc.constant(undefined)]),
    label: weighted([1, fc.constantFrom('"Premiere"', 'null', '1')], [4, fc.constant(undefined)]),
  })
  .map(write);

const HOME = '/workspaces/{workspace}/media_contents/batch';
const FIT = '/media_contents/{id}/fit';
const CHECK = '/media_contents/{id}/fetch_check';
const ITEM = '/media_contents/{id}';

const batchCall = fc.tuple(batchBody, fc.boolean(), fc.constantFrom('workspace', 'workspace', 'workspace', 'foreign'));
const fitCall = fc.tuple(fitBody, fc.boolean(), fc.constantFrom('media', 'video', 'temporary', 'unknown'));

const checkCall = fc.tuple(checkBody, fc.boolean(), fc.constantFrom('media', 'video', 'temporary', 'unknown'));

const coverCall = fc.tuple(
  coverBody,
  fc.boolean(),
  weighted([5, fc.constant('video')], [1, fc.constantFrom('media', 'temporary', 'trashed', 'unknown')]),
);

interface Asked {
  readonly target: string;
  readonly body: string;
  readonly operation?: string;
  readonly method?: string;
}

/** A call by REST or by tRPC. In tRPC the path parameters are fields of the input. */
const asked: fc.Arbitrary<Asked> = fc.oneof(
  batchCall.map(([body, isTrpc, where]) =>
    isTrpc
      ? { target: '/trpc/media.batch', body: withFields(body, `"workspace":"{{${where}}}"`) }
      : { target: `/v1${HOME.replace('{workspace}', `{{${where}}}`)}`, operation: `POST ${HOME}`, body },
  ),
  fitCall.map(([body, isTrpc, item]) =>
    isTrpc
      ? { target: '/trpc/media.fit', body: withFields(body, `"id":"{{${item}}}"`) }
      : { target: `/v1${FIT.replace('{id}', `{{${item}}}`)}`, operation: `POST ${FIT}`, body },
  ),
  checkCall.map(([body, isTrpc, item]) =>
    isTrpc
      ? { target: '/trpc/links.check', body: withFields(body, `"id":"{{${item}}}"`) }
      : { target: `/v1${CHECK.replace('{id}', `{{${item}}}`)}`, operation: `POST ${CHECK}`, body },
  ),
  coverCall.map(([body, isTrpc, item]) =>
    isTrpc
      ? { target: '/trpc/media.update', body: withFields(body, `"id":"{{${item}}}"`) }
      : { target: `/v1${ITEM.replace('{id}', `{{${item}}}`)}`, operation: `PATCH ${ITEM}`, method: 'PATCH', body },
  ),
);

/** Requests that change many items, fit items to networks, check links or choose covers. */
export const batch: Target = {
  about:
    'batches of items, fits, checks of links, and chosen covers: thousands of ids, ids of others, repeated ids, tags; by REST and tRPC',
  cases: fc.tuple(asked, framing, keyLines).map(
    ([{ body, ...rest }, how, keys]): RequestCase => ({
      kind: 'request',
      method: 'POST',
      ...rest,
      lines: [HOST, AUTHORIZATION, 'Content-Type: application/json', ...keys],
      body: { bytes: body, framing: how },
    }),
  ),
};
