import { expect } from 'bun:test';
import { testsThatNeed } from '@postshelf/testing/programs';
import * as fixtures from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { keysOf } from '../support/reply.ts';
import { idsOf, type MediaItem, mediaItems, oneMediaItem } from '../support/shapes.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(['ffmpeg'], 'items, including a video with its cover');

let world: World;
let beach: MediaItem;
let video: MediaItem;

const media = '/workspaces/{workspace}/media_contents';

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  const inFolder = field('folder_id', String(world.ids.folder));
  beach = await world.storeOne(file('beach.jpg', fixtures.jpeg()), field('label', 'At the sea'));
  video = await world.storeVideo(inFolder, file('film.mp4', fixtures.mp4()));
  const chart = await world.storeOne(inFolder, file('100% chart_1.png', fixtures.png()));
  world.ids.beach = beach.id;
  world.ids.video = video.id;
  world.ids.chart = chart.id;
  world.ids.cover = String(video.thumbnail?.id);
});

afterAll(() => world.close());

test('GET returns an image, a video and its cover as the upload returned them', async () => {
  const shown: readonly [string, MediaItem | null][] = [
    ['{beach}', beach],
    ['{video}', video],
    ['{cover}', video.thumbnail],
  ];
  for (const [id, item] of shown) {
    const reply = await world.call(`GET /media_contents/${id}`);
    expect([reply.status, keysOf(reply.json)]).toEqual([200, ['data']]);
    expect(oneMediaItem(reply)).toEqual(Object(item));
  }
});

describe('the media list', () => {
  const lists = (...keys: string[]) => ({
    status: 200,
    after: (reply: Parameters<typeof mediaItems>[0]) => {
      mediaItems(reply);
      expect(idsOf(reply)).toEqual(keys.map((key) => String(world.ids[key])));
    },
  });
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const rows: readonly [string, string, ...string[]][] = [
    ['has the most recently updated items first, and no covers', '', 'chart', 'video', 'beach'],
    ['filters by the root folder', 'folder_id=root', 'beach'],
    [
      'filters by from and to in RFC 3339',
      `from=${day(-1)}T00:00:00Z&to=${day(2)}T00:00:00%2B02:00`,
      'chart',
      'video',
      'beach',
    ],
    ['combines filters', 'folder_id={folder}&type=image&status=active&search=chart', 'chart'],
    ['ignores an unknown parameter, however often it is given', 'colour=red&colour=blue', 'chart', 'video', 'beach'],
    ['accepts parameter names with array brackets', 'folder_id[]={folder}&type[0]=image', 'chart'],
    ['treats an empty parameter as absent', 'type=video&type=&search=', 'video'],
  ];
  table(
    () => world,
    rows.map(([name, query, ...keys]): Row => ({ name, send: `GET ${media}?${query}`, ...lists(...keys) })),
  );

  test('begins with the item that was changed last', async () => {
    await world.call('PATCH /media_contents/{video}', { json: { label: 'Changed last' } });
    expect(idsOf(await world.call(`GET ${media}?per_page=1`))).toEqual([video.id]);
  });

  const wrong: readonly [string, Row['invalid']][] = [
    ['folder_id={unknown}', { folder_id: true }],
    [`from=${day(0)}&to=${day(-3)}`, { to: 'The to field must be a date after or equal to from.' }],
    [
      'status[]=active&status[]=failed&type=image&type[1]=image&page=1&page=2&from=2026-01-01&from=2026-01-02&search=a&search=b&sha256=x',
      {
        ...Object.fromEntries(
          ['status', 'type', 'page', 'from', 'search'].map((name) => [
            name,
            `The ${name} field must not be given more than once.`,
          ]),
        ),
        sha256: true,
      },
    ],
    [
      'status=gone&type=audio&folder_id=nowhere&from=x&page=0',
      { status: true, type: true, folder_id: true, from: true, page: true },
    ],
  ];
  table(
    () => world,
    wrong.map(
      ([query, invalid = {}]): Row => ({
        name: `refuses ${query.slice(0, 80)}`,
        send: `GET ${media}?${query}`,
        status: 422,
        invalid,
      }),
    ),
  );
});
