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
  'the details of items, including a video with its cover',
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
  ids.video = (await world.storeVideo(inFolder, file('Film.mp4', fixtures.mp4()))).id;
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

describe('details of an item', () => {
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  /**
   * `image` and `video` have the fields that the inspector reads. The OpenAPI document, against which every answer is
   * validated, describes these fields.
   */
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
    // The worker makes the placeholder later, so it isn't compared.
    const { image: _, video: __, placeholder: ___, ...rest } = Object(shown);
    expect([shown && rest, usage]).toEqual(world.fill([more.details, more.usage]) as unknown[]);
  };
  const taken: readonly [name: string, json: object, kept: object][] = [
    ['alternative text', { alt_text: 'A red boat\non the beach' }, { alt_text: 'A red boat\non the beach' }],
    [
      'tags, which it trims and normalizes, and keeps in order',
      { tags: [' Sun ', 'E\u0301te\u0301', 'Beach'] },
      { tags: ['Sun', 'Été', 'Beach'] },
    ],
    ['no field, which changes nothing', {}, { alt_text: 'A red boat\non the beach', tags: ['Sun', 'Été', 'Beach'] }],
    ['a null text, which removes it', { alt_text: null }, { alt_text: null, tags: ['Sun', 'Été', 'Beach'] }],
    [
      'an empty text, which removes it, and tags that replace the previous ones',
      { alt_text: '', tags: ['x'.repeat(50)] },
      { alt_text: null, tags: ['x'.repeat(50)] },
    ],
    [
      'the longest allowed text and the maximum number of tags',
      { alt_text: '\u{1f600}'.repeat(1500), tags: many(30) },
      { alt_text: '\u{1f600}'.repeat(1500), tags: many(30) },
    ],
    ['a focal point', { focus: { x: 0.25, y: 1 } }, { focus: { x: 0.25, y: 1 } }],
    ['a null focal point, which removes it', { focus: null }, { focus: null }],
    ['a null text and an empty list of tags', { alt_text: null, tags: [] }, { alt_text: null, tags: [] }],
  ];
  for (const [name, json, kept] of taken) {
    test(`PATCH accepts ${name}, and returns the item without details`, async () => {
      const reply = await world.call(update, { json });
      expect(keysOf(reply.json)).toEqual(['data', 'message']);
      oneMediaItem(reply);
      const shown = at((await world.call(show('details'))).json, 'data', 'details');
      expect(shown).toMatchObject(kept);
    });
  }

  const wrong: readonly [name: string, json: object, invalid: Row['invalid']][] = [
    [
      'control characters',
      { alt_text: 'a\u0000', tags: ['ok', 'a\tb'] },
      { alt_text: /control characters/, 'tags.1': 'The tags.1 field must not contain control characters.' },
    ],
    [
      'a focal point outside the image or without a coordinate',
      { focus: { x: 1.01 } },
      { 'focus.x': 'The focus.x field must not be greater than 1.', 'focus.y': true },
    ],
    ['one invalid field next to a valid one', { label: 'Not kept', tags: null }, { tags: true }],
  ];
  table(
    () => world,
    [
      ...wrong.map(([name, json, invalid = {}]) => row(`PATCH refuses ${name}`, update, json, 422, invalid)),
      {
        name: 'GET shows details and usage on request, unchanged by refused requests',
        send: show('details,usage'),
        status: 200,
        after: shows({ details, usage: { posts: 2 } }),
      },
      {
        name: 'GET shows only usage if only usage is requested',
        send: show('usage'),
        status: 200,
        after: shows({ usage: { posts: 2 } }),
      },
      { name: 'GET shows neither if include is empty', send: show(''), status: 200, after: shows({}) },
      row('GET refuses include=details,colour', show('details,colour'), undefined, 422, {
        include: 'The include field must be details or usage.',
      }),
      {
        name: 'the list shows the details and usage of each item',
        before: async () => {
          await world.call('PATCH /media_contents/{video}', { json: { tags: ['BEACH', 'sun'], alt_text: 'Waves' } });
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
              ['{video}', 'video/mp4', ['BEACH', 'sun'], 'Waves', 0, undefined],
              ['{beach}', 'image/jpeg', [], null, 2, undefined],
              ['{copy}', 'image/png', [], null, 0, undefined],
            ]) as typeof shown,
          );
          expect(String(at(reply.json, 'links', 'first'))).toContain('include=details%2Cusage');
        },
      },
    ],
  );

  test('tRPC returns the same as REST', async () => {
    for (const [procedure, input, send] of [
      ['media.get', { id: '{beach}', include: 'usage,details' }, show('usage,details')],
      ['media.get', { id: '{beach}', include: ['usage', 'details'] }, show('usage&include=details')],
    ] as const) {
      const json = encodeURIComponent(JSON.stringify(world.fill(input)));
      const [reply, other] = [await world.call(`GET /trpc/${procedure}?input=${json}`), await world.call(send)];
      const version = procedure === 'media.get' ? { version: expect.any(Number) } : {};
      expect(at(reply.json, 'result', 'data')).toEqual({ ...Object(other.json), ...version });
    }
  });
});

describe('the filtered and sorted list', () => {
  const rows: readonly [query: string, ...keys: string[]][] = [
    ['tag=SUN&tag=beach&per_page=50', 'video'],
    ['search=film%20SUN%20beach', 'video'],
    // An item in the other workspace has the same bytes and tag, but isn't found.
    ['sha256={beachHash}', 'beach'],
    ['sha256={CHART_HASH}&folder_id=root', 'copy'],
    ['sort=-updated_at', 'chart', 'video', 'beach', 'copy'],
    ['sort=name&per_page=1&page=4', 'video'],
  ];
  table(
    () => world,
    rows.map(
      ([query, ...keys]): Row => ({
        name: `has the right items and order for ${query}`,
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

  table(
    () => world,
    [
      row(
        'reports all invalid parameters',
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
      row('reports which of two tags is invalid', `GET ${media}?tag=beach&tag=${'t'.repeat(51)}`, undefined, 422, {
        'tag.1': true,
      }),
    ],
  );
});

describe('the list of folders', () => {
  const counts = (media: number, folders: number) => ({ media, folders });
  table(
    () => world,
    [
      {
        name: 'counts the media and folders directly in each folder with include=counts',
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
      row('refuses an unknown include', `GET ${folders}?include=details`, undefined, 422, { include: true }),
    ],
  );
});

/** The given number of different tags. */
function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `tag ${index}`);
}
