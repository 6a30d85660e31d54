import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { importAll, importBody, imported, line } from '../posts/support/imports.ts';
import { listPosts, makeProfile, profiles } from '../posts/support/posts.ts';
import { installedBrowsers } from '../support/browsers.ts';
import { png } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { seriousFindings } from './support/axe.ts';
import {
  byRole,
  fill,
  holdRequests,
  openLibrary,
  press,
  showDetails,
  untilAt,
  untilHolds,
  untilSays,
} from './support/page.ts';

const browsers = installedBrowsers('posts and best times in a browser').slice(0, sized(1, 2));

let world: World;
const csv = join(tmpdir(), `postshelf-${process.pid}-posts.csv`);

/**
 * In January 2026, posts on Tuesdays at 18:00 get 1.5 times the average number of likes, and posts on Mondays at 9:00
 * get half the average. There are also 20 posts in June 2025.
 */
const posts = (): string =>
  [
    ...['06T18:00', '06T18:30', '13T18:00', '20T18:00', '27T18:59'].map((at) => ({ at: `2026-01-${at}`, likes: 30 })),
    ...['05T09:00', '05T09:30', '12T09:00', '19T09:00', '26T09:59'].map((at) => ({ at: `2026-01-${at}`, likes: 10 })),
    ...Array.from({ length: 20 }, (_, day) => ({ at: `2025-06-${day + 10}T12:00`, likes: 1 })),
  ]
    .map(({ at, likes }) =>
      line(world, { external_id: at, published_at: `${at}:00Z`, text: `Of ${at}`, metrics: { likes } }),
    )
    .join('\n');

beforeAll(async () => {
  world = await World.open();
  world.ids.photo = (await world.storeOne(file('beach.png', png()))).id;
  for (const [key, name] of Object.entries({
    quiet: 'Quiet',
    late: 'Late',
    planned: 'Planned profile',
    exported: 'Exported',
    profile: 'Beach club',
  })) {
    const made = await world.call(`POST ${profiles}`, { json: { name, network: 'instagram' } });
    world.ids[key] = stringAt(made.json, 'data', 'id');
  }
  const newest = { external_id: 'new', published_at: '2026-02-10T08:00:00Z', media_content_ids: ['{photo}'] };
  const metrics = { impressions: 1234567, likes: 4321 };
  const body = `${posts()}\n${line(world, { ...newest, text: 'The newest', metrics })}`;
  expect(imported(await importBody(world, body)).created).toBe(31);
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
  rmSync(csv, { force: true });
});

const JANUARY = 'from=2026-01-01&to=2026-01-31';

const selectProfile = async (page: Page, id: string): Promise<void> => {
  const choice = await byRole(page, 'combobox', 'Profile');
  await choice.select(world.fill(id));
};

/** Sets the value of the time field directly, because typing into it depends on the browser's language. */
const setTime = (page: Page, value: string): Promise<void> =>
  page.$eval(
    'input[type=datetime-local]',
    (field, time) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, time);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    },
    value,
  );

/**
 * Waits until a parameter of the URL has this value. If the value is null, it waits until the URL has no such
 * parameter.
 */
const untilAddress = (page: Page, name: string, value: string | null) =>
  untilHolds(
    page,
    (key, wanted) => new URL(location.href).searchParams.get(key) === wanted,
    name,
    value && world.fill(value),
  );

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (name, browser) => {
  const runsAll = name === 'Chromium';

  test('best times are a table of 168 labelled cells, which can be read by keyboard', async () => {
    const { json } = await world.call(world.fill(`GET /analytics/best_times?workspace={workspace}&${JANUARY}`));
    const scoreAt = (day: string, hour: number) => Math.round(Number(arrayAt(json, 'data', 'heatmap', day)[hour]));
    const best = `Tuesday 18:00: ${scoreAt('Tuesday', 18)}, 5 posts`;
    expect(scoreAt('Tuesday', 18)).toBeGreaterThan(115);
    const page = await openLibrary(browser, world, `/best-times?${JANUARY}`);
    await byRole(page, 'cell', best);
    expect(await page.title()).toBe('Best times · Postshelf');
    const cells = await page.$$eval('table[aria-label="Best times"] td', (all) =>
      all.map((cell) => cell.querySelector('.visually-hidden')?.textContent ?? ''),
    );
    const named = cells.filter((cell) => /^[A-Z][a-z]+day \d\d:00: \d+, \d+ posts?$/.test(cell));
    expect([named.length, new Set(named).size]).toEqual([168, 168]);
    expect(named).toContain(`Monday 09:00: ${scoreAt('Monday', 9)}, 5 posts`);
    expect(named).toContain(`Sunday 23:00: ${scoreAt('Sunday', 23)}, 0 posts`);
    await untilSays(page, 'Learned from 10 posts, 1 Jan 2026 to 31 Jan 2026 (UTC)', 'main');
    await untilSays(page, 'The suggested times are learned from the last year', 'main');
    // The whole table is one tab stop, which focuses the best hour.
    await page.focus('input[type=date]');
    const onCell = () => page.evaluate(() => document.activeElement?.querySelector('.visually-hidden')?.textContent);
    for (let stops = 0; stops < 24 && (await onCell()) === undefined; stops++) await page.keyboard.press('Tab');
    expect(await onCell()).toBe(best);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    expect(await onCell()).toBe(`Monday 00:00: ${scoreAt('Monday', 0)}, 0 posts`);
  });

  test('suggested times are cards with the scores of the heatmap, and are shown only once', async () => {
    const page = await openLibrary(browser, world, '/best-times?profile={profile}');
    await byRole(page, 'list', 'Suggested times');
    await byRole(page, 'table', 'Best times');
    const cards = await page.$$eval('ol[aria-label="Suggested times"] li', (all) =>
      all.map((card) => [card.querySelector('p')?.textContent ?? '', card.title]),
    );
    expect(cards).toHaveLength(5);
    const cells = await page.$$eval('table[aria-label="Best times"] td .visually-hidden', (all) =>
      all.map((cell) => cell.textContent),
    );
    for (const [text = '', title] of cards) {
      const [, time, about] = /^([A-Z][a-z]+day \d\d:00), (about .*)$/.exec(text) ?? [];
      const score = Number(/: (\d+),/.exec(cells.find((cell) => cell?.startsWith(`${time}: `)) ?? '')?.[1]);
      const difference = Math.abs(score - 100);
      const wanted =
        score === 100 ? 'about your average' : `about ${difference} % ${score > 100 ? 'above' : 'below'} your average`;
      expect({ time, about }).toEqual({ time, about: wanted });
      expect(title).toMatch(/^With 90 % certainty between .* your average\.$/);
    }
    expect(await page.$$eval('main ol', (lists) => lists.length)).toBe(1);
    // The card of a suggested time opens a new post for that time.
    const [day, hour] = /(\w+day) (\d\d:00)/.exec(cards[0]?.[0] ?? '')?.slice(1) ?? [];
    await press(page, 'button', 'Plan a post');
    await byRole(page, 'dialog', 'Post');
    const field = await page.waitForSelector('[role="dialog"] input[type="datetime-local"]');
    const at = (await field?.evaluate((input) => (input as HTMLInputElement).value)) ?? '';
    expect([at.slice(11), new Date(`${at}Z`).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })]).toEqual([
      hour ?? '',
      day ?? '',
    ]);
  });

  // Other browsers run only the test above.
  if (!runsAll) return;

  test('a calendar link is shown once, copied and revoked', async () => {
    const page = await openLibrary(browser, world, '/best-times?profile={profile}');
    await byRole(page, 'group', 'Calendar');
    await press(page, 'button', 'Create calendar link');
    const field = await byRole(page, 'textbox', 'Calendar link');
    const url = await field.evaluate((input) => (input instanceof HTMLInputElement ? input.value : ''));
    const status = async () => (await fetch(url.replace(/^https?:\/\/[^/]+/, world.server.url))).status;
    expect(await status()).toBe(200);
    await press(page, 'button', 'Copy');
    await untilSays(page, 'Link copied.', 'body');
    // The link of one profile isn't shown as if it were that of another.
    await selectProfile(page, '{quiet}');
    await untilHolds(page, () => document.querySelector('input[value*="secret="]') === null);
    await selectProfile(page, '{profile}');
    await byRole(page, 'textbox', 'Calendar link');
    await page.reload();
    await untilSays(page, 'Beach club, created', 'ul[aria-label="Calendars"] li');
    expect(await page.$eval('main', (main) => main.innerHTML.includes('secret='))).toBe(false);
    await press(page, 'button', 'Revoke');
    await byRole(page, 'alertdialog', 'Revoke this calendar link?');
    // The locator waits until the dialog has stopped moving.
    await page.locator('[role=alertdialog] .button-danger').click();
    await until('the link stops working', async () => (await status()) === 404);
    await untilHolds(page, () => document.querySelector('ul[aria-label="Calendars"]') === null);
  });

  test('posts are a table, newest first, with media, profile and metrics', async () => {
    const page = await openLibrary(browser, world, '/posts?profile={profile}');
    await byRole(page, 'table', 'Posts');
    await untilSays(page, 'Beach club Instagram', 'tbody tr:first-child td');
    const rows = await page.$$eval('tbody tr', (all) => all.map((row) => row.textContent));
    expect(rows).toHaveLength(25);
    expect(rows[0]).toMatch(/Tue 10 Feb 2026 08:00.*The newest.*1\.2M4,321/);
    expect(rows[1]).toContain('Of 2026-01-27T18:59');
    await press(page, 'link', 'Older');
    await untilSays(page, '26–31 of 31');
    await selectProfile(page, '{quiet}');
    await untilSays(page, 'No posts match these filters.');
    expect(await page.$('.no-posts a[href*="/posts"]')).toBeNull();
    expect(new URL(page.url()).searchParams.get('page')).toBeNull();
    await selectProfile(page, '{profile}');
    await press(page, 'link', 'beach.png');
    await untilAt(page, world.fill('/media/{photo}'));
    // The item links to the list of posts that use it, and that list links to all posts.
    await showDetails(page, 'beach.png');
    await press(page, 'link', '10 Feb 2026');
    await untilAddress(page, 'media', '{photo}');
    await untilSays(page, 'Posts with beach.png', 'main p');
    await untilSays(page, '1–1 of 1');
    await press(page, 'link', 'Show all posts');
    await untilAddress(page, 'media', null);
  });

  test('posts are printed as a whole', async () => {
    const page = await openLibrary(browser, world, '/posts', { height: 400 });
    await untilSays(page, 'The newest', 'tbody');
    await page.emulateMediaType('print');
    const [content, shown, navigation] = await page.evaluate(() => {
      const { scrollHeight = 0, clientHeight = 0 } = document.querySelector('.page-body') ?? {};
      return [scrollHeight, clientHeight, document.querySelector('.frame-links')?.checkVisibility()];
    });
    await page.emulateMediaType();
    expect(content).toBeGreaterThan(1000);
    expect([shown, navigation]).toEqual([content, false]);
  });

  test('filters are kept in the URL, and errors of the service are shown', async () => {
    const page = await openLibrary(browser, world, `/best-times?${JANUARY}`);
    const first = await page.waitForSelector('::-p-aria(Profile[role="combobox"]) option');
    expect(await first?.evaluate((option) => option.textContent)).toBe('Whole workspace');
    await page.waitForSelector(world.fill('option[value="{quiet}"]'));
    await selectProfile(page, '{quiet}');
    await untilAddress(page, 'profile', '{quiet}');
    await untilSays(page, 'No posts of this profile from 1 Jan 2026 to 31 Jan 2026.', 'main p');
    await selectProfile(page, '');
    await untilAddress(page, 'profile', null);
    // In Chromium's date fields the month comes first.
    const [, to] = await page.$$('input[type=date]');
    await to?.focus();
    await page.keyboard.type('12312025');
    await untilAddress(page, 'to', '2025-12-31');
    await untilSays(page, 'The to field must be a date after or equal to from.', '[role="alert"]');
    await page.reload();
    await untilSays(page, 'The to field must be a date after or equal to from.', '[role="alert"]');
  });

  test('a profile with fewer than five posts shows that they are too few to learn from', async () => {
    const profile = await makeProfile(world, 'Few');
    const lines = Array.from({ length: 4 }, (_, nth) =>
      line(world, { profile, external_id: `few ${nth}`, published_at: `2026-04-1${nth}T18:00:00Z` }),
    );
    expect(imported(await importBody(world, lines.join('\n'))).created).toBe(4);
    const page = await openLibrary(browser, world, `/best-times?from=2026-04-01&to=2026-04-30&profile=${profile}`);
    const found = 'No posts of this profile from 1 Apr 2026 to 30 Apr 2026 can be learned from yet.';
    await untilSays(page, found, 'main');
    await untilSays(
      page,
      '4 posts left out. Posts count only after three days, because their metrics still change until then.',
      'main',
    );
    await untilSays(page, 'A profile needs five posts that are older than three days.', 'main');
    expect(await page.$('table[aria-label="Best times"]')).toBeNull();
  });

  test('on a phone, best times and posts are tables as well, and no wider than the screen', async () => {
    const phone = { width: 390, height: 844 };
    const page = await openLibrary(browser, world, `/best-times?${JANUARY}`, phone);
    await byRole(page, 'table', 'Best times');
    await byRole(page, 'list', 'Suggested times');
    expect(await page.$$eval('table[aria-label="Best times"] tbody tr', (rows) => rows.length)).toBe(24);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    // Content that is cut off doesn't widen the document, so each element's right edge is checked as well.
    const edges = await page.$$eval('main :is(p, table, li, td, legend, h2)', (all) =>
      all.map((one) => Math.ceil(one.getBoundingClientRect().right)),
    );
    expect(Math.max(...edges)).toBeLessThanOrEqual(phone.width);
    await press(page, 'link', 'Posts');
    await byRole(page, 'table', 'Posts');
    await byRole(page, 'cell', '4,321');
    await byRole(page, 'columnheader', 'Likes');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    const gaps = await page.$$eval('table[aria-label="Posts"] tbody tr', (rows) =>
      rows.map((row) => {
        const [date, profile] = ['.post-time time', '.post-profile'].map((part) => row.querySelector(part));
        return (profile?.getBoundingClientRect().left ?? 0) - (date?.getBoundingClientRect().right ?? 0);
      }),
    );
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    // The days are stacked below the filters, and the current day is in view although no post is planned on it.
    await page.setViewport({ width: phone.width, height: 400 });
    await press(page, 'tab', 'Month');
    const today = await page.waitForSelector('.planner-day[data-today]');
    const box = await today?.boundingBox();
    expect(box && [box.y >= 0, box.y < 400]).toEqual([true, true]);
    await press(page, 'tab', 'List');
    const tablet = { width: 820, height: 1180 };
    await page.setViewport(tablet);
    const counts = await page.$$eval('table[aria-label="Posts"] td.post-metric', (all) =>
      all.map((one) => Math.ceil(one.getBoundingClientRect().right)),
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(tablet.width);
  });

  test('posts imported by others appear without a reload, and a lost connection is reported until it is back', async () => {
    const page = await openLibrary(browser, world, '/best-times?from=2026-03-01&to=2026-03-31&profile={late}');
    await untilSays(page, 'No posts of this profile', 'main p');
    const lines = Array.from({ length: 5 }, (_, nth) =>
      line(world, { profile: '{late}', external_id: `late ${nth}`, published_at: `2026-03-10T18:1${nth}:00Z` }),
    );
    expect(imported(await importBody(world, lines.join('\n'))).created).toBe(5);
    await byRole(page, 'cell', 'Tuesday 18:00: 100, 5 posts');
    await page.setOfflineMode(true);
    await untilSays(page, 'Can’t reach the server.', '[role="status"]');
    // The code of a dialog that can't be loaded leaves the page as it is, and is loaded again.
    await press(page, 'button', 'Sessions');
    await untilSays(page, 'Can’t reach the server, or the page has been updated.', '.notices');
    await byRole(page, 'table', 'Best times');
    await page.setOfflineMode(false);
    await untilHolds(page, () => !document.querySelector('.frame-unreachable')?.textContent);
    await press(page, 'button', 'Sessions');
    await byRole(page, 'dialog', 'Sessions');
  });

  test('posts are added with media, planned in a week, changed and deleted by keyboard and mouse', async () => {
    const page = await openLibrary(browser, world, '/posts?profile={planned}');
    await press(page, 'button', 'New post');
    await fill(page, 'Text', 'Soon');
    await setTime(page, '2027-03-02T18:30');
    await press(page, 'button', 'Choose media');
    await (await byRole(page, 'row', 'beach.png')).focus();
    await page.keyboard.press('Space');
    expect(await seriousFindings(page)).toEqual([]);
    await press(page, 'button', 'Choose 1 item');
    await press(page, 'button', 'Save');
    await untilSays(page, 'The post was added.', '[role="status"]');
    await untilSays(page, 'Planned', 'tbody');
    const counts = await page.$$eval('tbody .post-metric', (cells) => cells.map(({ textContent }) => textContent));
    expect(counts).toEqual(Array.from({ length: 6 }, () => '–'));
    const [planned] = await listPosts(world, world.fill('profile={planned}'));
    expect(planned).toMatchObject({ text: 'Soon', published_at: '2027-03-02T18:30:00.000Z' });
    expect(planned?.media_content_ids).toEqual([world.ids.photo ?? '']);
    await page.goto(world.fill(`${world.server.url}/posts?profile={planned}&week=2027-03-05`));
    await untilSays(page, '1 Mar 2027 to 7 Mar 2027');
    await (await byRole(page, 'button', '18:30 Planned Planned profile Soon')).press('Enter');
    await byRole(page, 'dialog', 'Post');
    await press(page, 'button', 'Remove beach.png');
    await fill(page, 'Text', 'Sooner');
    // Someone else changes the post in the meantime. The first save is refused; the second one replaces their text.
    await world.call(`PATCH /posts/${planned?.id}`, { json: { text: 'Theirs', metrics: { likes: 5 } } });
    await press(page, 'button', 'Save');
    await untilSays(page, 'Someone else changed this post in the meantime.', '[role="alert"]');
    await press(page, 'button', 'Save');
    await untilSays(page, 'Sooner', '.planner');
    const [changed] = await listPosts(world, world.fill('profile={planned}'));
    expect(changed).toMatchObject({ text: 'Sooner', media_content_ids: [], metrics: { likes: 5 } });
    await press(page, 'button', '18:30 Planned Planned profile Sooner');
    await press(page, 'button', 'Delete');
    await byRole(page, 'alertdialog', 'Delete this post?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilSays(page, 'The post was deleted.', '[role="status"]');
    await page.waitForSelector('.planner:not(:has(.planner-post))');
    await untilHolds(page, () => document.activeElement?.closest('main') !== null);
    expect(await listPosts(world, world.fill('profile={planned}'))).toEqual([]);
  });

  test('a planned post is moved in the planner by keyboard and mouse, and moved back by Undo', async () => {
    const json = { profile: '{planned}', published_at: '2027-04-06T10:00:00Z', text: 'Egg hunt' };
    const made = await world.call('POST /workspaces/{workspace}/posts', { json });
    const id = stringAt(made.json, 'data', 'id');
    const untilPublished = (at: string): Promise<void> =>
      until(`the post is published at ${at}`, async () => {
        const { json: shown } = await world.call(`GET /posts/${id}`);
        return stringAt(shown, 'data', 'published_at') === at;
      });
    const undo = () =>
      page.$$eval('.notices button', (all) => all.findLast((one) => one.textContent === 'Undo')?.click());
    const page = await openLibrary(browser, world, '/posts?profile={planned}&week=2027-04-06');
    await (await byRole(page, 'button', 'Drag 10:00 Egg hunt')).press('Enter');
    const onDay = (day: string) => document.activeElement?.ariaLabel === day;
    await untilHolds(page, () => /^\w{3} \d+ Apr 2027$/.test(document.activeElement?.ariaLabel ?? ''));
    for (let presses = 0; presses < 8 && !(await page.evaluate(onDay, 'Thu 8 Apr 2027')); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilSays(page, 'The post was moved to Thu 8 Apr 2027, 10:00.', '[role="status"]');
    await untilPublished('2027-04-08T10:00:00.000Z');
    await (await byRole(page, 'button', '10:00 Planned Planned profile Egg hunt')).focus();
    await undo();
    await untilSays(page, 'The post is back at Tue 6 Apr 2027, 10:00.', '[role="status"]');
    await untilHolds(page, () => document.activeElement?.textContent?.includes('Egg hunt') === true);
    await untilPublished('2027-04-06T10:00:00.000Z');
    const time = async (): Promise<string> => {
      const field = await page.waitForSelector('input[type=datetime-local]');
      const value = await field?.evaluate((input) => (input as HTMLInputElement).value);
      await press(page, 'button', 'Cancel');
      await untilHolds(page, () => !document.querySelector('[role="dialog"]'));
      return value ?? '';
    };
    await press(page, 'button', '10:00 Planned Planned profile Egg hunt');
    expect(await time()).toBe('2027-04-06T10:00');

    // Arrow keys also move a post, in steps and without dragging. However fast they are pressed, the last step wins.
    const name = 'Planned Planned profile Egg hunt';
    await (await byRole(page, 'button', `10:00 ${name}`)).focus();
    const sent = new Set<HTTPRequest>();
    let concurrent = 0;
    page.on('request', (request) => {
      if (request.url().includes('posts.update')) concurrent = Math.max(concurrent, sent.add(request).size);
    });
    page.on('requestfinished', (request) => sent.delete(request));
    await page.keyboard.down('Alt');
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft'] as const) await page.keyboard.press(key);
    await page.keyboard.up('Alt');
    await untilSays(page, 'The post was moved to Tue 6 Apr 2027, 10:15.', '[role="status"]');
    await untilPublished('2027-04-06T10:15:00.000Z');
    expect(concurrent).toBe(1);
    // Steps that follow each other are undone together.
    await undo();
    await untilPublished('2027-04-06T10:00:00.000Z');
    await (await byRole(page, 'button', `10:00 ${name}`)).focus();
    await page.keyboard.down('Alt');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.up('Alt');
    await untilPublished('2027-04-06T10:15:00.000Z');
    expect(await seriousFindings(page)).toEqual([]);
    await press(page, 'button', `10:15 ${name}`);
    expect(await time()).toBe('2027-04-06T10:15');

    await press(page, 'tab', 'Month');
    await untilSays(page, 'April 2027', 'h2');
    const [post, day] = [await byRole(page, 'button', `10:15 ${name}`), await page.$('[aria-label="Fri 16 Apr 2027"]')];
    const [from, to] = [await post.boundingBox(), await day?.boundingBox()];
    if (!from || !to) throw new Error('Nothing to drag.');
    await page.mouse.move(from.x + 20, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 24, from.y + 14, { steps: 4 });
    await page.mouse.move(to.x + 30, to.y + 40, { steps: 4 });
    await page.waitForSelector('[aria-label="Fri 16 Apr 2027"][data-drop-target]');
    await page.mouse.up();
    await untilPublished('2027-04-16T10:15:00.000Z');
    await world.call(`DELETE /posts/${id}`);
  });

  test('a post is written next to its preview, with media from folders in an order set by dragging', async () => {
    const { id } = await world.storeOne(file('dune.png', png()));
    await world.call(`PATCH /media_contents/${id}`, { json: { folder_id: await world.folder('Trip') } });
    const page = await openLibrary(browser, world, '/posts?profile={planned}');
    await press(page, 'button', 'New post');
    await fill(page, 'Text', 'Sand');
    await untilSays(page, '4 of 2,200 characters', '[role="dialog"]');
    await untilSays(page, 'Sand', '[aria-label="Preview"]');
    const choose = async (name: string, folder: string): Promise<void> => {
      await press(page, 'button', 'Choose media');
      const field = await byRole(page, 'combobox', 'Folder');
      await untilHolds(page, (select, wanted) => select.textContent?.includes(wanted), field, folder);
      await field.select(
        await field.evaluate((one, wanted) => {
          const options = Array.from((one as HTMLSelectElement).options);
          return options.find(({ label }) => label === wanted)?.value ?? '';
        }, folder),
      );
      await (await byRole(page, 'row', name)).focus();
      await page.keyboard.press('Space');
      await press(page, 'button', 'Choose 1 item');
    };
    await choose('beach.png', 'All folders');
    await choose('dune.png', 'Trip');
    await byRole(page, 'rowheader', 'Instagram feed');
    await (await byRole(page, 'row', 'dune.png')).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilHolds(page, () => document.activeElement?.ariaLabel?.startsWith('Insert'));
    const before = () => document.activeElement?.ariaLabel === 'Insert before beach.png';
    for (let presses = 0; presses < 4 && !(await page.evaluate(before)); presses += 1)
      await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    const first = () => document.querySelector('.media-order [role="row"]')?.ariaLabel === 'dune.png';
    await untilHolds(page, first);
    expect(await seriousFindings(page)).toEqual([]);
    await setTime(page, '2027-05-04T09:00');
    await press(page, 'button', 'Save');
    await untilSays(page, 'The post was added.', '[role="status"]');
    const [made] = await listPosts(world, world.fill('profile={planned}'));
    expect(made?.media_content_ids).toEqual([id, world.ids.photo ?? '']);
    await world.call(`DELETE /posts/${made?.id}`);
  });

  test('Enter in the name of a new profile creates the profile, and does not save the post', async () => {
    const page = await openLibrary(browser, world, '/posts?profile={planned}');
    await press(page, 'button', 'New post');
    await setTime(page, '2027-05-04T09:00');
    await press(page, 'button', 'New profile');
    await fill(page, 'Network', 'instagram');
    await fill(page, 'Profile name', 'Pop-up shop');
    await page.keyboard.press('Enter');
    await untilHolds(page, () => {
      const choice = document.querySelector<HTMLSelectElement>('[role="dialog"] select');
      return choice?.selectedOptions[0]?.label.startsWith('Pop-up shop');
    });
    expect(await listPosts(world, world.fill('profile={planned}'))).toEqual([]);
    await press(page, 'button', 'Cancel');
    await press(page, 'button', 'Discard');
  });

  test('text typed into a post is discarded only after confirmation, even if the user goes back', async () => {
    const page = await openLibrary(browser, world, '/best-times');
    await press(page, 'link', 'Posts');
    await press(page, 'button', 'New post');
    await byRole(page, 'dialog', 'Post');
    // Nothing was typed, so Escape closes the dialog without a confirmation.
    await page.keyboard.press('Escape');
    await untilHolds(page, () => !document.querySelector('[role="dialog"]'));
    await press(page, 'button', 'New post');
    await fill(page, 'Text', 'Long thoughts');
    const ways = {
      Escape: () => page.keyboard.press('Escape'),
      Cancel: () => press(page, 'button', 'Cancel'),
      Back: () => page.evaluate(() => history.back()),
    };
    for (const [way, leave] of Object.entries(ways)) {
      await leave();
      await byRole(page, 'alertdialog', 'Discard unsaved changes?');
      await press(page, 'button', 'Keep editing');
      await untilHolds(page, () => !document.querySelector('[role="alertdialog"]'));
      const field = await byRole(page, 'textbox', 'Text');
      const text = await field.evaluate((typed) => (typed as HTMLTextAreaElement).value);
      expect([way, text, new URL(page.url()).pathname]).toEqual([way, 'Long thoughts', '/posts']);
    }
    await page.keyboard.press('Escape');
    await press(page, 'button', 'Discard');
    await untilHolds(page, () => !document.querySelector('[role$="dialog"]'));
    // Opening a post from the list changes the URL. Unsaved changes to such a post are kept as well.
    await (await page.waitForSelector('.post-open'))?.click();
    const first = await (await byRole(page, 'textbox', 'Text')).evaluate((typed) => (typed as HTMLInputElement).value);
    await fill(page, 'Text', 'Other thoughts');
    await page.keyboard.press('Escape');
    await press(page, 'button', 'Keep editing');
    await fill(page, 'Text', first);
    await page.keyboard.press('Escape');
    await untilAddress(page, 'post', null);
  });

  test('the week shows which profile has more posts within 24 hours than its network accepts', async () => {
    world.ids.crowded = await makeProfile(world, 'Crowded');
    const times = Array.from({ length: 51 }, (_, post) => `2027-03-02T${String(post % 24).padStart(2, '0')}:15:00Z`);
    const lines = times.map((at, post) =>
      line(world, { profile: '{crowded}', published_at: at, external_id: `${post}` }),
    );
    expect(await importAll(world, lines.join('\n'))).toMatchObject({ created: 51 });
    const page = await openLibrary(browser, world, world.fill('/posts?profile={crowded}&week=2027-03-05'));
    await untilSays(page, 'Crowded:', '.week-crowded');
    await untilSays(page, 'limit of 50 posts', '.week-crowded');
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('a CSV export of a network is imported with errors by row, and its columns are remembered', async () => {
    const page = await openLibrary(browser, world, '/posts?profile={exported}', { width: 390, height: 844 });
    const rows = [
      'Post ID,Description,Publish time,Permalink,Views,Likes,Comments,Saves',
      '1,"Sea, sun\nand sand",03/27/2026 06:08,https://example.com/1,"1,200",30,2,1',
      '2,Later,03/28/2026 18:00,https://example.com/2,100,many,0,0',
      '3,Long ago,03/28/1999 18:00,https://example.com/3,100,1,0,0',
    ];
    writeFileSync(csv, rows.join('\n'));
    const open = async (): Promise<void> => {
      await press(page, 'button', 'Import CSV');
      const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Choose file')]);
      await chooser.accept([csv]);
    };
    await open();
    await byRole(page, 'cell', 'Fri 27 Mar 2026 06:08');
    await untilSays(page, 'Row 3: “many” can’t be read as a number.', 'table[aria-label="Preview"]');
    await (await byRole(page, 'combobox', 'Times are in')).select('America/Los_Angeles');
    await byRole(page, 'cell', 'Fri 27 Mar 2026 13:08');
    expect(await seriousFindings(page)).toEqual([]);
    const saves = await byRole(page, 'combobox', 'Saves');
    await saves.select('-1');
    // Only the service knows that the third row is too old.
    await press(page, 'button', 'Import 2 of 3 rows');
    await untilSays(page, '1 post added, 0 updated, 0 unchanged, 2 rows not imported:', '[role="status"]');
    await untilSays(page, 'Row 3: “many” can’t be read as a number.', '[aria-label="Errors"]');
    await untilSays(page, 'Row 4: The published at field must be a date from 2000', '[aria-label="Errors"]');
    const [post, ...others] = await listPosts(world, world.fill('profile={exported}'));
    expect(post).toMatchObject({
      external_id: '1',
      text: 'Sea, sun\nand sand',
      published_at: '2026-03-27T13:08:00.000Z',
    });
    expect(post?.metrics).toMatchObject({ impressions: 1200, likes: 30, saves: 0 });
    expect(others).toEqual([]);
    await press(page, 'button', 'Close');
    await open();
    const chosen = async (name: string): Promise<string> =>
      (await byRole(page, 'combobox', name)).evaluate((one) => (one as HTMLSelectElement).value);
    expect([await chosen('Saves'), await chosen('Times are in')]).toEqual(['-1', 'America/Los_Angeles']);
    await press(page, 'button', 'Import 2 of 3 rows');
    await untilSays(page, '0 posts added, 0 updated, 1 unchanged', '[role="status"]');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await press(page, 'button', 'Close');
    // An import whose dialog is closed continues, and reports its result in a notice.
    await open();
    const { held, release } = holdRequests(page, /posts\/import/);
    await press(page, 'button', 'Import 2 of 3 rows');
    await until('the rows are sent', async () => held.length === 1);
    await press(page, 'button', 'Close');
    release();
    await untilSays(page, '1 unchanged, 2 rows not imported: Row 3: “many” can’t be read as a number.', '.notices');
    await page.close();
  });
});
