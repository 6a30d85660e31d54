import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { testsThatNeed } from '@postshelf/testing/programs';
import { makePost, makeProfile } from '../posts/support/posts.ts';
import * as fixtures from '../support/fixtures.ts';
import { field, file, multipart } from '../support/multipart.ts';
import { arrayAt, at, keysOf, type Reply } from '../support/reply.ts';
import { idsOf, mediaItem, mediaItems, oneMediaItem } from '../support/shapes.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(
  ['ffmpeg'],
  'more of items, beside a film with its cover',
);

let world: World;

const media = '/workspaces/{workspace}/media_contents';
const folders = '/workspaces/{workspace}/media_library/folders';
const update = 'PATCH /media_contents/{beach}';
const show = (include: string) => `GET /media_contents/{beach}?include=${include}`;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  world = await World.open();
  const { ids } = world;
  ids.folder = await world.folder('Holidays');
  ids.inner = await world.folder('Inner', '{folder}');
  const inFolder = field('folder_id', ids.folder);
  ids.beach = (await world.storeOne(file('beach.jpg', fixtures.jpeg()))).id;
  ids.film = (await world.storeFilm(inFolder, file('Film.mp4', fixtures.mp4()))).id;
  ids.chart = (await world.storeOne(inFolder, file('chart.png', fixtures.png()))).id;
  ids.copy = (await world.storeOne(file('Atlas.png', fixtures.png()))).id;
  ids.beachHash = sha256(fixtures.jpeg());
  ids.chartHash = sha256(fixtures.png());
  ids.profile = await makeProfile(world);
  for (const media_content_ids of [['{beach}', '{chart}'], ['{beach}']]) await makePost(world, { media_content_ids });
  const { contentType, bytes } = multipart([file('theirs.jpg', fixtures.jpeg())]);
  const reply = await world.call('POST /workspaces/{foreign}/media_contents', {
    token: 'foreign',
    headers: { 'content-type': contentType },
    body: bytes,
  });
  ids.theirs = String(at(reply.json, 'data', 0, 'id'));
  await world.call('PATCH /media_contents/{theirs}', { token: 'foreign', json: { tags: ['beach'] } });
});

afterAll(() => world.close());

describe('Details of an item, only on request', () => {
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  /** `image` and `video` come from the inspector; the document, which validates every answer, has their fields. */
  const details = {
    sha256: '{beachHash}',
    mime: 'image/jpeg',
    created_at: instant,
    updated_at: instant,
    alt_text: null,
    focus: null,
    tags: [],
    previews: [{ width: 40, height: 30, link: '{url}/previews/{workspace}/{beach}/40.webp' }],
    source: null,
    created_by: { kind: 'token', name: 'token' },
    converted_from: null,
  };
  const shows = (more: { readonly details?: object; readonly usage?: object }) => (reply: Reply) => {
    const { details: shown, usage, ...usual } = Object(at(reply.json, 'data'));
    mediaItem(usual);
    // The worker makes a placeholder later.
    const { image: _, video: __, placeholder: ___, ...told } = Object(shown);
    expect([shown && told, usage]).toEqual(world.fill([more.details, more.usage]) as unknown[]);
  };
  const taken: readonly [name: string, json: object, kept: object][] = [
    ['alternative text', { alt_text: 'A red boat\non the beach' }, { alt_text: 'A red boat\non the beach' }],
    [
      'tags, which it trims and composes, in their order',
      { tags: [' Sun ', 'E\u0301te\u0301', 'Beach'] },
      { tags: ['Sun', 'Été', 'Beach'] },
    ],
    ['no field, which changes nothing', {}, { alt_text: 'A red boat\non the beach', tags: ['Sun', 'Été', 'Beach'] }],
    ['null, which removes the text', { alt_text: null }, { alt_text: null, tags: ['Sun', 'Été', 'Beach'] }],
    [
      'an empty text, which removes it, and other tags, which replace the former ones',
      { alt_text: '', tags: ['x'.repeat(50)] },
      { alt_text: null, tags: ['x'.repeat(50)] },
    ],
    [
      'the longest text and as many tags as allowed',
      { alt_text: '\u{1f600}'.repeat(1500), tags: many(30) },
      { alt_text: '\u{1f600}'.repeat(1500), tags: many(30) },
    ],
    ['a focal point', { focus: { x: 0.25, y: 1 } }, { focus: { x: 0.25, y: 1 } }],
    ['null, which removes the focal point', { focus: null }, { focus: null }],
    ['no text and no tags', { alt_text: null, tags: [] }, { alt_text: null, tags: [] }],
  ];
  for (const [name, json, kept] of taken) {
    test(`PATCH accepts ${name}; its answer is the usual one`, async () => {
      const reply = await world.call(update, { json });
      expect(keysOf(reply.json)).toEqual(['data', 'message']);
      oneMediaItem(reply);
      const shown = at((await world.call(show('details'))).json, 'data', 'details');
      expect(shown).toMatchObject(kept);
    });
  }

  const wrong: readonly [name: string, json: object, invalid: Row['invalid']][] = [
    [
      'a text of 1,501 characters',
      { alt_text: 'a'.repeat(1501) },
      { alt_text: 'The alt text field must not be greater than 1500 characters.' },
    ],
    [
      'control characters',
      { alt_text: 'a\u0000', tags: ['ok', 'a\tb'] },
      { alt_text: /control characters/, 'tags.1': 'The tags.1 field must not contain control characters.' },
    ],
    ['31 tags', { tags: many(31) }, { tags: 'The tags field must not have more than 30 items.' }],
    [
      'empty and long tags',
      { tags: ['', ' \t ', 'y'.repeat(51)] },
      {
        'tags.0': 'The tags.0 field is required.',
        'tags.1': true,
        'tags.2': 'The tags.2 field must not be greater than 50 characters.',
      },
    ],
    [
      'tags that differ only in case and composition',
      { tags: ['Strasse', 'STRASSE', 'É', 'straße', 'e\u0301'] },
      { 'tags.1': 'The tags.1 field has a duplicate value.', 'tags.3': true, 'tags.4': true },
    ],
    [
      'other types',
      { alt_text: 7, tags: [null, {}, 5] },
      { alt_text: true, 'tags.0': true, 'tags.1': true, 'tags.2': true },
    ],
    [
      'a focal point outside of the picture, or without a side',
      { focus: { x: 1.01 } },
      { 'focus.x': 'The focus.x field must not be greater than 1.', 'focus.y': true },
    ],
    ['a focal point that is none', { focus: [0.5, 0.5] }, { focus: true }],
    ['tags that are not a list', { tags: 'beach' }, { tags: 'The tags field must be an array.' }],
    ['one wrong field beside a valid one', { label: 'Not kept', tags: null }, { tags: true }],
  ];
  table(
    () => world,
    [
      ...wrong.map(([name, json, invalid = {}]) => row(`PATCH refuses ${name}`, update, json, 422, invalid)),
      {
        name: 'the refused requests changed nothing',
        send: show('details,usage'),
        status: 200,
        after: shows({ details, usage: { posts: 2 } }),
      },
      { name: 'only usage is requested', send: show('usage'), status: 200, after: shows({ usage: { posts: 2 } }) },
      { name: 'nothing is requested', send: show(''), status: 200, after: shows({}) },
      ...['details,colour', 'counts', 'details usage', ','].map((include) =>
        row(`include=${include}: 422`, show(encodeURIComponent(include)), undefined, 422, {
          include: 'The include field must be details or usage.',
        }),
      ),
      {
        name: 'the list, each item with its own',
        before: async () => {
          await world.call('PATCH /media_contents/{film}', { json: { tags: ['BEACH', 'sun'], alt_text: 'Waves' } });
          await world.call('PATCH /media_contents/{chart}', { json: { tags: ['beach'] } });
        },
        send: `GET ${media}?include=details,usage`,
        status: 200,
        after: (reply) => {
          const shown = arrayAt(reply.json, 'data').map((item) => [
            at(item, 'id'),
            at(item, 'details', 'mime'),
            at(item, 'details', 'tags'),
            at(item, 'details', 'alt_text'),
            at(item, 'usage', 'posts'),
            at(item, 'thumbnail', 'details'),
          ]);
          expect(shown).toEqual(
            world.fill([
              ['{chart}', 'image/png', ['beach'], null, 1, undefined],
              ['{film}', 'video/mp4', ['BEACH', 'sun'], 'Waves', 0, undefined],
              ['{beach}', 'image/jpeg', [], null, 2, undefined],
              ['{copy}', 'image/png', [], null, 0, undefined],
            ]) as typeof shown,
          );
          expect(String(at(reply.json, 'links', 'first'))).toContain('include=details%2Cusage');
        },
      },
    ],
  );

  test('tRPC returns the same', async () => {
    for (const [procedure, input, send] of [
      ['media.get', { id: '{beach}', include: 'usage,details' }, show('usage,details')],
      ['media.get', { id: '{beach}', include: ['usage', 'details'] }, show('usage&include=details')],
      [
        'media.list',
        { workspace: '{workspace}', include: 'details', sort: 'name', tag: ['beach', 'sun'] },
        `GET ${media}?include=details&sort=name&tag=beach&tag=sun`,
      ],
      ['folders.list', { workspace: '{workspace}', include: 'counts' }, `GET ${folders}?include=counts`],
    ] as const) {
      const json = encodeURIComponent(JSON.stringify(world.fill(input)));
      const [reply, other] = [await world.call(`GET /trpc/${procedure}?input=${json}`), await world.call(send)];
      const version = procedure === 'media.get' ? { version: expect.any(Number) } : {};
      expect(at(reply.json, 'result', 'data')).toEqual({ ...Object(other.json), ...version });
    }
  });
});

describe('The list by tag, by bytes, and in other orders', () => {
  const rows: readonly [query: string, ...keys: string[]][] = [
    ['tag=beach', 'chart', 'film'],
    ['tag=%20Sun%20', 'film'],
    ['tag=beac'],
    ['tag=SUN&tag=beach&per_page=50', 'film'],
    ['tag=beach&tag=beac'],
    ['search=film%20SUN%20beach', 'film'],
    ['search=film%20chart'],
    ['tag=beach&type=image&folder_id={folder}', 'chart'],
    // An item in another workspace has the same bytes and tag.
    ['sha256={beachHash}', 'beach'],
    ['sha256={chartHash}', 'chart', 'copy'],
    ['sha256={CHART_HASH}&folder_id=root', 'copy'],
    [`sha256=${'0'.repeat(64)}`],
    ['sort=-updated_at', 'chart', 'film', 'beach', 'copy'],
    ['sort=updated_at', 'copy', 'beach', 'film', 'chart'],
    ['sort=created_at', 'beach', 'film', 'chart', 'copy'],
    ['sort=-created_at&per_page=1&page=2', 'chart'],
    ['sort=name', 'copy', 'beach', 'chart', 'film'],
    ['sort=-name&type=image', 'chart', 'beach', 'copy'],
    ['sort=name&per_page=1&page=4', 'film'],
  ];
  table(
    () => world,
    rows.map(
      ([query, ...keys]): Row => ({
        name: query,
        before: ({ ids }) => {
          ids.CHART_HASH = String(ids.chartHash).toUpperCase();
        },
        send: `GET ${media}?${query}`,
        status: 200,
        after: (reply) => {
          mediaItems(reply);
          expect(idsOf(reply)).toEqual(keys.map((key) => String(world.ids[key])));
          const total = query.includes('per_page=1') ? 4 : keys.length;
          expect(at(reply.json, 'meta', 'total')).toBe(total);
        },
      }),
    ),
  );
  test('by size, ascending and descending, items without one first', async () => {
    await world.call(`POST ${media}/presign`, { json: { files: [{ name: 'later.png', size: 9, mime: 'image/png' }] } });
    const sizes = async (sort: string) =>
      mediaItems(await world.call(`GET ${media}?sort=${sort}`)).map(({ size }) => size ?? -1);
    const there = await sizes('size');
    expect(there[0]).toBe(-1);
    expect(there).toEqual(there.toSorted((a, b) => a - b));
    expect(await sizes('-size')).toEqual(there.toReversed());
  });

  table(
    () => world,
    [
      row(
        'all parameters are wrong, and all are reported',
        `GET ${media}?sort=colour&sha256=abc&tag=${'t'.repeat(51)}&include=all`,
        undefined,
        422,
        {
          sort: 'The selected sort is invalid.',
          sha256: 'The sha256 field must be 64 hexadecimal digits.',
          tag: 'The tag field must not be greater than 50 characters.',
          include: true,
        },
      ),
      row('one of two tags is wrong', `GET ${media}?tag=beach&tag=${'t'.repeat(51)}`, undefined, 422, {
        'tag.1': true,
      }),
      row('too many tags', `GET ${media}?${'tag=a&'.repeat(31)}`, undefined, 422, { tag: true }),
      row('a tag with a control character', `GET ${media}?tag=a%00b`, undefined, 422, { tag: true }),
    ],
  );
});

describe('The content of folders', () => {
  const counts = (media: number, folders: number) => ({ media, folders });
  table(
    () => world,
    [
      {
        name: 'include=counts: media and folders directly in each',
        send: `GET ${folders}?include=counts`,
        status: 200,
        after: (reply) =>
          expect(arrayAt(reply.json, 'data').map((item) => [at(item, 'id'), at(item, 'counts')])).toEqual(
            expect.arrayContaining([
              [world.ids.folder, counts(2, 1)],
              [world.ids.inner, counts(0, 0)],
            ]),
          ),
      },
      row('an unknown word: 422', `GET ${folders}?include=details`, undefined, 422, { include: true }),
    ],
  );
});

/** That many different tags. */
function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `tag ${index}`);
}
