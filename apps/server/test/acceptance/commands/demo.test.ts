import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { at, stringAt } from '../support/reply.ts';
import { command } from '../support/server.ts';
import { World } from '../support/world.ts';

let world: World;
let filled: Record<string, unknown>;

/** Five items are enough to get images of two types, and a video if ffmpeg is installed. */
const ITEMS = ['--items', '5'];
const FILMS = Bun.which('ffmpeg') ? 1 : 0;

beforeAll(async () => {
  world = await World.open();
  filled = await world.command(['demo', '--workspace', world.fill('{workspace}'), ...ITEMS]);
});
afterAll(() => world.close());

interface Item {
  readonly name: string;
  readonly [field: string]: unknown;
}

const itemsOf = async (token = 'all', workspace = '{workspace}'): Promise<readonly Item[]> => {
  const { json } = await world.call(`GET /workspaces/${workspace}/media_contents?per_page=100&include=details`, {
    token,
  });
  return at(json, 'data') as readonly Item[];
};

describe('postshelf demo', () => {
  test('fills a workspace with media in folders, with the best image at the top of the list', async () => {
    expect(filled).toMatchObject({
      pictures: 4,
      films: FILMS,
      profiles: 4,
      no_films: FILMS ? null : expect.any(String),
    });
    const items = await itemsOf();
    expect(items.filter(({ status }) => status === 'active')).toHaveLength(4 + FILMS);
    expect(Number(filled.folders)).toBeGreaterThan(3);
    expect(items[0]).toMatchObject({
      name: 'harbour-dawn.jpg',
      label: 'Dawn from the terrace',
      details: { alt_text: 'Sailing boats on a calm sea as the sun comes up', tags: ['sea', 'morning'] },
      width: 864,
      height: 1080,
      folder_id: expect.any(String),
    });
    for (const { name, time } of items) expect([name, time !== null]).toEqual([name, /\.(mp4|mov)$/.test(name)]);
  });

  test('adds 90 days of posts, with more engagement in the evening than at night', async () => {
    const { json } = await world.call('GET /analytics/best_times?workspace={workspace}');
    const hour = (day: string, at: number): number => Number((Object(json).data.heatmap[day] as number[])[at]);
    const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
    const mean = (at: number): number => weekdays.reduce((sum, day) => sum + hour(day, at), 0) / weekdays.length;
    expect(mean(18)).toBeGreaterThan(115);
    expect(mean(18)).toBeGreaterThan(mean(3) + 15);
    const posts = await world.call('GET /workspaces/{workspace}/posts');
    expect(at(posts.json, 'meta', 'total')).toBe(filled.posts);
    expect(Number(filled.posts)).toBeGreaterThan(300);
  });

  test('needs --add for a workspace that has media, and makes the same images for every seed', async () => {
    const { settings, program } = world.server;
    const { code, stderr } = await command(['demo', '--workspace', world.fill('{workspace}')], settings, program);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/already holds .* media items: pass --add/)]);
    const again = await world.command(['demo', '--items', '1', '--seed', '1']);
    const other = String(at(again, 'workspace', 'id'));
    await world.token('demo', other);
    await world.command(['demo', '--workspace', other, '--items', '1', '--seed', '2', '--add']);
    const hashOf = (item: Item): string => stringAt(item, 'details', 'sha256');
    const first = (await itemsOf()).map(hashOf)[0] ?? '';
    expect((await itemsOf('demo', other)).map(hashOf)).toEqual([first, first]);
  });
});
