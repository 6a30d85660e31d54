import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { makePost, makeProfile } from '../posts/support/posts.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { askBestTimes, averages, bestTimes, days } from './support/best-times.ts';

let world: World;

beforeAll(async () => {
  world = await World.open({}, ['--timezone', 'Europe/Berlin']);
  world.ids.profile = await makeProfile(world);
  world.ids.empty = await makeProfile(world, 'Empty');
  world.ids.foreignProfile = await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
});

afterAll(() => world.close());

const get = 'GET /analytics/best_times';
const week = (value: number) => days.map(() => Array.from({ length: 24 }, () => value));

describe('the heatmap of a window without posts', () => {
  for (const [subject, query] of [
    ['a workspace', { workspace: '{workspace}' }],
    ['a profile', { profile: '{empty}' }],
  ] as const) {
    test(`has 0 in every cell for ${subject}`, async () => {
      const found = await bestTimes(world, { ...query, from: '2020-01-01', to: '2020-12-31' });
      expect(found).toEqual({
        heatmap: week(0),
        counts: week(0),
        timezone: 'Europe/Berlin',
        // At both ends of the window Berlin is one hour ahead of UTC.
        from: '2019-12-31T23:00:00.000Z',
        to: '2020-12-31T22:59:59.999Z',
        posts: 0,
        best: [],
        certainty: { low: week(0), high: week(0), evidence: 'none', leftOut: 0 },
      });
    });
  }
});

// A cell is 100 × (Σr + 5) / (n + 5), rounded to two decimals.
describe('best times computed by hand', () => {
  const query = { from: '2026-01-01', to: '2026-01-31' };
  /** A time on a day of January 2026, by default on Monday the 5th. The hour is in UTC. */
  const at = (hour: number, day = 5) => `2026-01-0${day}T${String(hour).padStart(2, '0')}:30:00Z`;

  beforeAll(async () => {
    // The posts' engagements are 30, 10, 0 and 0, and their mean is 10, because impressions and clicks don't count.
    const profile = await makeProfile(world, 'By hand');
    world.ids.hand = profile;
    const published = [at(8), at(8), at(8), at(23)];
    const metrics = [
      { likes: 10, comments: 9, shares: 8, saves: 3, impressions: 1_000_000 },
      { saves: 10, clicks: 7 },
      {},
      { impressions: 5, clicks: 5 },
    ];
    for (const [nth, published_at] of published.entries()) {
      await makePost(world, { profile, published_at, metrics: metrics[nth] });
    }
    const silent = await makeProfile(world, 'Silent');
    for (const hour of [8, 9]) await makePost(world, { profile: silent, published_at: at(hour) });
  });

  test('of a profile are 112.5 on Monday at 9, 83.33 on Tuesday at 0, and 100 elsewhere', async () => {
    const found = await averages(world, { profile: '{hand}', ...query });
    const wanted = week(100).map((day) => [...day]);
    // (3 + 1 + 0 + 5) ÷ 8 and (0 + 5) ÷ 6
    wanted[1]?.splice(9, 1, 112.5);
    wanted[2]?.splice(0, 1, 83.33);
    expect(found.heatmap).toEqual(wanted);
    expect(found.posts).toBe(4);
    expect(found.counts[1]?.[9]).toBe(3);
    expect(found.counts[2]?.[0]).toBe(1);
    expect(found.best).toEqual([{ day: 'Monday', hour: 9, value: 112.5, posts: 3 }]);
  });

  test('of a workspace compare each post with the mean of its own profile', async () => {
    const found = await averages(world, { workspace: '{workspace}', ...query });
    // (3 + 1 + 0 + 1 + 5) ÷ 9
    expect(found.heatmap[1]?.[9]).toBe(111.11);
    expect(found.heatmap[1]?.[10]).toBe(100);
    expect(found.heatmap[2]?.[0]).toBe(83.33);
    expect(found.posts).toBe(6);
    expect(found.best).toEqual([{ day: 'Monday', hour: 9, value: 111.11, posts: 4 }]);
  });

  for (const method of ['estimate', 'average'])
    test(`list only cells above 100 as best with method=${method}`, async () => {
      // Four hours of the week have three posts each. The engagement is above average in one, average in one, and 0 in
      // two.
      const profile = await makeProfile(world, `Above ${method}`);
      for (const [hour, likes] of [
        [2, 30],
        [8, 10],
        [14, 0],
        [20, 0],
      ] as const)
        for (let posts = 0; posts < 3; posts++)
          await makePost(world, { profile, published_at: at(hour), metrics: { likes } });
      for (const scope of [{ profile }, { workspace: String(world.ids.workspace) }]) {
        const found = await bestTimes(world, { ...scope, ...query, method });
        const above = found.heatmap.flatMap((day, weekday) =>
          day.flatMap((value, hour) => {
            const posts = found.counts[weekday]?.[hour] ?? 0;
            return value > 100 && posts >= 3 ? [{ day: String(days[weekday]), hour, value, posts }] : [];
          }),
        );
        const below = found.counts.flat().filter((posts) => posts >= 3).length - above.length;
        expect({ some: above.length > 0, below: below > 0 }).toEqual({ some: true, below: true });
        expect(found.best.length).toBe(Math.min(5, above.length));
        expect(found.best.every((one) => above.some((other) => Bun.deepEquals(one, other)))).toBe(true);
        const input = encodeURIComponent(JSON.stringify({ ...scope, ...query, method }));
        const headers = { authorization: `Bearer ${world.tokens.all}` };
        const reply = await fetch(`${world.server.url}/trpc/analytics.bestTimes?input=${input}`, { headers });
        expect(await reply.json()).toMatchObject({ result: { data: { meta: { best: found.best } } } });
      }
    });
});

describe('the window of best times', () => {
  const day = 86_400_000;

  test('is the last 90 days if its parameters are missing or empty', async () => {
    const profile = await makeProfile(world, 'Window');
    for (const age of [-1, 0.001, 89.9, 90.1, 400]) {
      await makePost(world, { profile, published_at: new Date(Date.now() - age * day).toISOString() });
    }
    const before = Date.now();
    const found = await averages(world, { profile, from: '', to: '', workspace: '' });
    const to = Date.parse(found.to);
    expect(to).toBeWithin(before - 1000, Date.now() + 1000);
    expect(Date.parse(found.from)).toBe(to - 90 * day);
    expect(found.posts).toBe(2);
    const from = new Date(Date.now() - 500 * day).toISOString();
    expect(await averages(world, { profile, from })).toMatchObject({ from, posts: 4 });
    const future = new Date(Date.now() + day).toISOString();
    expect((await askBestTimes(world, { profile, from: future })).status).toBe(422);
  });

  const forms: readonly [from: string, to: string, fromUtc: string, toUtc: string][] = [
    // The day on which the clocks go forward has 23 hours.
    ['2026-03-29', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['2026-07-01 12:00:00', '2026-07-02T12:00:00+05:45', '2026-07-01T10:00:00.000Z', '2026-07-02T06:15:00.000Z'],
  ];
  for (const [from, to, fromUtc, toUtc] of forms) {
    test(`from ${from} to ${to} is read in the time zone of the workspace`, async () => {
      const found = await bestTimes(world, { profile: '{empty}', from, to });
      expect(found).toMatchObject({ from: fromUtc, to: toUtc });
    });
  }
});

describe('a query of best times', () => {
  const after = 'The to field must be a date after or equal to from.';
  const neither = { profile: true, workspace: true } as const;
  const refused: readonly [string, Row['invalid']][] = [
    ['', neither],
    ['workspace={workspace}&profile={profile}', neither],
    ['workspace={foreign}', { workspace: true }],
    ['workspace={workspace}&workspace={workspace}', { workspace: /once/ }],
    ['profile={foreignProfile}', { profile: true }],
    ['profile={unknown}&from=x&to=y', { profile: true, from: true, to: true }],
    ['workspace={workspace}&method=smoothed', { method: true }],
    ['workspace={workspace}&from=2026-01-02&to=2026-01-01', { to: after }],
  ];
  table(
    () => world,
    refused.map(([query, invalid]): Row => {
      return {
        name: `is rejected with all invalid fields: ?${query}`,
        send: `${get}?${query}`,
        status: 422,
        ...(invalid && { invalid }),
      };
    }),
  );

  test('of a profile or a workspace succeeds with a token of its workspace', async () => {
    expect((await askBestTimes(world, { profile: '{foreignProfile}' }, 'foreign')).status).toBe(200);
    expect((await askBestTimes(world, { workspace: '{foreign}' }, 'foreign')).status).toBe(200);
  });
});

describe('suggested slots', () => {
  const slots = 'GET /analytics/best_times/slots';
  const hour = 3_600_000;
  const ask = async (query: string) => {
    const reply = await world.call(`${slots}?${query}`);
    expect({ status: reply.status, text: reply.text.slice(0, 500) }).toMatchObject({ status: 200 });
    return { meta: at(reply.json, 'meta'), slots: arrayAt(reply.json, 'data') };
  };
  const timesOf = (all: readonly unknown[]) => all.map((slot) => Date.parse(stringAt(slot, 'at')));

  test('of a profile without posts are daytime hours of its time zone, without evidence', async () => {
    const before = Date.now();
    const found = await ask('profile={empty}');
    expect(found.meta).toMatchObject({ timezone: 'Europe/Berlin', posts: 0, evidence: 'none' });
    const [from, to] = ['learned_from', 'learned_to'].map((end) => Date.parse(stringAt(found.meta, end)));
    expect(Number(to) - Number(from)).toBe(365 * 24 * hour);

    expect(found.slots).toHaveLength(5);
    for (const slot of found.slots) {
      expect(slot).toMatchObject({
        kind: 'explore',
        posts: 0,
        score: 0,
        reason: expect.stringContaining('Nothing to learn'),
      });
      expect(stringAt(slot, 'at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\+0[12]:00$/);
      const [time = 0] = timesOf([slot]);
      expect(time).toBeWithin(before, before + 7 * 24 * hour);
      expect(Number(stringAt(slot, 'at').slice(11, 13))).toBe(Number(at(slot, 'hour')));
      expect(Number(at(slot, 'hour'))).toBeWithin(7, 23);
    }
  });

  test('keep the minimum gap to planned posts, avoid excluded hours, and ignore posts of the last 3 days', async () => {
    const profile = await makeProfile(world, 'Planned');
    const [planned = 0] = timesOf((await ask(`profile=${profile}&count=1`)).slots);
    await makePost(world, { profile, published_at: new Date(planned).toISOString() });
    for (const age of [71, 73, 74, 75, 76, 77])
      await makePost(world, { profile, published_at: new Date(Date.now() - age * hour).toISOString() });
    const found = await ask(`profile=${profile}&count=50&min_gap_minutes=180&exclude=Sunday&exclude=0-6`);
    expect(at(found.meta, 'posts')).toBe(5);
    expect(found.slots.length).toBeGreaterThan(20);
    const times = [...timesOf(found.slots), planned].sort((one, other) => one - other);
    for (const [index, time] of times.slice(1).entries())
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(3 * hour);
    for (const slot of found.slots) {
      expect(at(slot, 'day')).not.toBe('Sunday');
      expect(Number(at(slot, 'hour'))).toBeGreaterThan(6);
    }
  });

  const far = new Date(Date.now() + 61 * 24 * hour).toISOString();
  const refused: readonly [string, Row['invalid']][] = [
    ['', { profile: true, workspace: true }],
    ['workspace={foreign}', { workspace: true }],
    ['profile={foreignProfile}', { profile: true }],
    [`workspace={workspace}&to=${far}`, { to: true }],
    ['workspace={workspace}&to=2020-01-01', { to: true }],
    [
      'workspace={workspace}&count=0&min_gap_minutes=-1&exclude=Noday',
      { count: true, min_gap_minutes: true, exclude: true },
    ],
    [
      'workspace={workspace}&count=51&min_gap_minutes=1.5&exclude=24',
      { count: true, min_gap_minutes: true, exclude: true },
    ],
  ];
  table(
    () => world,
    refused.map(([query, invalid]): Row => {
      return {
        name: `are rejected with all invalid fields: ?${query}`,
        send: `${slots}?${query}`,
        status: 422,
        ...(invalid && { invalid }),
      };
    }),
  );
});

describe('calendar links', () => {
  const calendars = '/workspaces/{workspace}/calendars';
  const create = async (json: object = {}) => {
    const reply = await world.call(`POST ${calendars}`, { json });
    expect(reply.status).toBe(201);
    const url = stringAt(reply.json, 'data', 'url');
    return { id: stringAt(reply.json, 'data', 'id'), url, address: url.replace(/^https?:\/\/[^/]+/, world.server.url) };
  };
  const read = (address: string, headers: HeadersInit = {}) => fetch(address, { headers });
  const eventsOf = (text: string) =>
    new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((each) => new ICAL.Event(each));
  const instant = (event: ICAL.Event) => event.startDate.toJSDate().getTime();

  test('return the suggested slots as an iCalendar file, without a token', async () => {
    const profile = await makeProfile(world, 'Ünï; a, b\\n "c" 🎈');
    const { url, id, address } = await create({ profile, count: 7, exclude: '0-6' });
    expect(url).toMatch(/\/calendars\/[\w-]+\.ics\?secret=[\w-]{43}$/);
    const reply = await read(address);
    expect({ status: reply.status, headers: Object.fromEntries(reply.headers) }).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/calendar; charset=utf-8', 'cache-control': 'private' },
    });
    const text = await reply.text();
    expect(text).toEndWith('END:VCALENDAR\r\n');
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    const feed = new ICAL.Component(ICAL.parse(text));
    // The parser doesn't know the NAME property of RFC 7986, and leaves its value escaped.
    expect(`${feed.getFirstPropertyValue('name')}`.replace(/\\(.)/g, '$1')).toBe(
      'Suggested times: Ünï; a, b\\n "c" 🎈',
    );
    expect(`${feed.getFirstPropertyValue('refresh-interval')}`).toBe('PT1H');
    expect(feed.getFirstPropertyValue('x-published-ttl')).toBe('PT1H');
    const slots = await world.call(`GET /analytics/best_times/slots?profile=${profile}&count=7&exclude=0-6`);
    const suggested = arrayAt(slots.json, 'data').map((slot) => Date.parse(stringAt(slot, 'at')));
    const events = eventsOf(text);
    expect(events.map(instant)).toEqual(suggested.sort());
    expect(events.map(({ uid }) => uid)).toEqual(suggested.map((time) => `${id}-${time / 1000}@postshelf`));
    for (const event of events) {
      expect(event.summary).toBe('Time to post: Ünï; a, b\\n "c" 🎈');
      expect(event.description).toMatch(
        /^[A-Z][a-z]+day \d\d:00 \(Europe\/Berlin\)\. Nothing to learn from yet: .*\.$/,
      );
      expect(event.duration.toSeconds()).toBe(3600);
      expect(event.component.getFirstPropertyValue('transp')).toBe('TRANSPARENT');
    }
  });

  test('return the same text and ETag until a slot changes', async () => {
    const profile = await makeProfile(world, 'Same');
    const { address } = await create({ profile });
    const [first, second] = [await read(address), await read(address)];
    const text = await first.text();
    expect(await second.text()).toBe(text);
    const headers = { 'if-none-match': `${first.headers.get('etag')}` };
    const same = await read(address, headers);
    expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, headers['if-none-match'], '']);
    const [planned] = eventsOf(text);
    await makePost(world, { profile, published_at: `${planned?.startDate.toJSDate().toISOString()}` });
    const other = await read(address, headers);
    expect(other.status).toBe(200);
    expect(eventsOf(await other.text()).map(({ uid }) => uid)).not.toContain(planned?.uid);
  });

  test('keep their secret out of lists, the database and the log', async () => {
    const { id, address } = await create({ count: 3, min_gap_minutes: 0 });
    const secret = `${new URL(address).searchParams.get('secret')}`;
    await read(address);
    await read(`${address}x`);
    const listed = await world.call(`GET ${calendars}?per_page=1`);
    expect(arrayAt(listed.json, 'data')).toEqual([
      { id, profile: null, count: 3, min_gap_minutes: 0, exclude: null, created_at: expect.any(String) },
    ]);
    expect(await world.database.column('select hash from calendars')).not.toContain(secret);
    expect([listed.text, world.server.log()].map((each) => each.includes(secret))).toEqual([false, false]);
  });

  test('return the same 404 if they are wrong, or if their calendar or profile was deleted', async () => {
    const profile = await makeProfile(world, 'Short-lived');
    const [kept, deleted, ofProfile] = [await create(), await create(), await create({ profile })];
    expect((await world.call(`DELETE /calendars/${deleted.id}`, { token: 'foreign' })).status).toBe(404);
    expect((await world.call(`DELETE /calendars/${deleted.id}`)).status).toBe(204);
    expect((await world.call(`DELETE /profiles/${profile}`)).status).toBe(204);
    const secret = kept.address.split('=').at(-1);
    for (const address of [
      deleted.address,
      ofProfile.address,
      kept.address.slice(0, -1),
      kept.address.replace(kept.id, deleted.id),
      kept.address.replace('.ics', ''),
      `${kept.address.split('?')[0]}?secret=`,
      `${world.server.url}/calendars/${secret}`,
      `${world.server.url}/calendars/%ff.ics?secret=${secret}`,
    ]) {
      const reply = await read(address);
      expect({ address, status: reply.status, body: await reply.json() }).toEqual({
        address,
        status: 404,
        body: { message: 'Not found.' },
      });
    }
    expect((await read(kept.address)).status).toBe(200);
  });

  test('of each workspace have a separate limit of requests per minute', async () => {
    const other = await create({ profile: null, exclude: null });
    const made = await world.call('POST /workspaces/{foreign}/calendars', { token: 'foreign', json: {} });
    const address = stringAt(made.json, 'data', 'url').replace(/^https?:\/\/[^/]+/, world.server.url);
    let reply = await read(address);
    for (let reads = 0; reads < 300 && reply.status === 200; reads += 1) reply = await read(address);
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeWithin(1, 61);
    expect((await read(other.address)).status).toBe(200);
  });

  test('are limited to 20 per workspace', async () => {
    const make = () => world.call('POST /workspaces/{foreign}/calendars', { token: 'foreign', json: {} });
    let reply = await make();
    for (let made = 1; made <= 20 && reply.status === 201; made += 1) reply = await make();
    const { json } = await world.call('GET /workspaces/{foreign}/calendars', { token: 'foreign' });
    expect(at(json, 'meta', 'total')).toBe(20);
    expect({ status: reply.status, errors: at(reply.json, 'errors') }).toEqual({
      status: 422,
      errors: { calendar: ['A workspace can have at most 20 calendars.'] },
    });
  });

  const refused: readonly [object, NonNullable<Row['invalid']>][] = [
    [{ profile: '{foreignProfile}' }, { profile: true }],
    [
      { profile: '{foreignProfile}', count: 0 },
      { profile: true, count: true },
    ],
    [
      { profile: 'x', count: 51, min_gap_minutes: -1, exclude: 'Noday' },
      { profile: true, count: true, min_gap_minutes: true, exclude: true },
    ],
  ];
  table(
    () => world,
    refused.map(([json, invalid]): Row => {
      return {
        name: `are not created with invalid fields: ${Object.keys(invalid).join(', ')}`,
        send: `POST ${calendars}`,
        status: 422,
        json,
        invalid,
      };
    }),
  );
});
