import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { sized } from '../support/long.ts';
import { at, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { seriousFindings } from './support/axe.ts';
import { byRole, fill, openLibrary, press, untilAt, untilHolds, untilSays } from './support/page.ts';

const browsers = installedBrowsers('signing in to the library in a browser');

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

/** Returns a new link that the command prints, and that signs in once. */
const newLink = async (): Promise<string> =>
  stringAt(await world.command(['token', 'sign-in-link', world.ids.token ?? '']), 'link');

/** The names of the token's sessions, newest first. */
const sessions = async (): Promise<unknown> =>
  (at((await world.call('GET /sessions', { token: 'own' })).json, 'data') as { name: string }[]).map(
    ({ name }) => name,
  );

const SCOPES_OF_A_MANAGER = ['media', 'folders', 'analytics', 'webhooks', 'people'].flatMap((word) => [
  ...['--scope', `${word}:read`],
  ...['--scope', `${word}:write`],
]);

const isSignedIn = (page: Page) => byRole(page, 'navigation', 'Main');

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (name, browser) => {
  let page: Page;

  beforeAll(async () => {
    world.ids.token = await world.token('own', '{workspace}');
    page = await browser.openTab();
  });

  test('a token is exchanged for a session that the page cannot read, and a wrong token is refused', async () => {
    await page.goto(`${world.server.url}/posts`);
    await fill(page, 'Access token', 'wrong');
    await press(page, 'button', 'Sign in');
    await untilSays(page, 'This access token isn’t valid', '[role="alert"]');
    await fill(page, 'Access token', ` ${world.tokens.own} `);
    await page.keyboard.press('Enter');
    await isSignedIn(page);
    expect(await sessions()).toEqual([expect.stringContaining(name === 'Chromium' ? 'Chrome on' : 'Firefox on')]);
    expect(await page.evaluate(() => [location.pathname, document.cookie, localStorage.length])).toEqual([
      '/posts',
      '',
      0,
    ]);
  });

  // Other browsers run the following tests only in long test runs.
  if (name !== sized('Chromium', name)) {
    afterAll(() => page.close());
    return;
  }

  test("a link's code disappears from the URL immediately, replaces a session only if confirmed, and works once", async () => {
    const link = await newLink();
    await page.goto(link);
    await byRole(page, 'alertdialog', 'Sign in with this link?');
    expect(page.url()).toBe(`${world.server.url}/`);
    await press(page, 'button', 'Stay signed in');
    await isSignedIn(page);
    expect(await sessions()).toHaveLength(1);
    await page.goto(link);
    await press(page, 'button', 'Sign in');
    await isSignedIn(page);
    expect(await sessions()).toHaveLength(1);
    await page.goto(link);
    await press(page, 'button', 'Sign in');
    await untilSays(page, 'This link has already been used', '[role="alert"]');
    await press(page, 'button', 'Stay signed in');
    await press(page, 'button', 'Sign out');
    await untilSays(page, 'Ask your administrator for a token.', 'form');
    await byRole(page, 'textbox', 'Access token');
    expect(await page.$eval('form', (form) => form.textContent.includes('new link'))).toBe(false);
    expect(await sessions()).toEqual([]);
    await page.goto(link);
    await untilSays(page, 'This link has already been used', '[role="alert"]');
    await byRole(page, 'textbox', 'Access token');
    await page.goto(await newLink());
    await isSignedIn(page);
    expect(await page.$('[role="alertdialog"]')).toBeNull();
  });

  test('what was typed is there again when somebody signs in after the session has ended', async () => {
    await page.goto(`${world.server.url}/posts`);
    await press(page, 'button', 'New post');
    await fill(page, 'Text', 'An hour of work');
    await page.evaluate(() => fetch('/v1/sessions/current', { method: 'DELETE' }));
    await press(page, 'button', 'Choose media');
    await untilSays(page, 'Your session has ended.', 'form');
    expect(await page.evaluate(() => document.elementFromPoint(5, 5)?.closest('.sign-in') !== null)).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await fill(page, 'Access token', world.tokens.own ?? '');
    await page.keyboard.press('Enter');
    await untilSays(page, 'No media yet.', '[role="dialog"]');
    expect(await page.title()).toStartWith('Posts');
    await press(page, 'button', 'Cancel');
    const text = await byRole(page, 'textbox', 'Text');
    expect(await text.evaluate((field) => (field as unknown as HTMLTextAreaElement).value)).toBe('An hour of work');
    await press(page, 'button', 'Cancel');
    await press(page, 'button', 'Discard');
    await isSignedIn(page);
  });

  test('other sessions are listed and ended', async () => {
    const { origin } = new URL(world.server.url);
    const json = { token: world.tokens.own, name: 'Lost laptop' };
    await world.call('POST /sessions', { token: null, headers: { origin }, json });
    await press(page, 'button', 'Sessions');
    await untilSays(page, 'Lost laptop', '[role="dialog"]');
    await press(page, 'button', 'End');
    await untilHolds(page, () => !document.body.textContent.includes('Lost laptop'));
    expect(await sessions()).toHaveLength(1);
    await page.close();
  });
});

describe.each(browsers.slice(0, 1))('people, in Chromium', (browser) => {
  const NAME = 'Ada Lovelace';
  let page: Page;

  const act = async (task: string) => {
    await press(page, 'button', `Actions for ${NAME}`);
    await press(page, 'menuitem', task);
  };
  const isGone = (of: Page, selector: string) => untilHolds(of, (gone) => !document.querySelector(gone), selector);

  test('are invited, sign in with the link, see what their role allows, and are signed out', async () => {
    await world.token('manager', '{workspace}', SCOPES_OF_A_MANAGER);
    page = await openLibrary(browser, world, '/trash', { token: 'manager' });
    await press(page, 'link', 'People');
    await untilSays(page, 'Nobody has been invited yet');
    await press(page, 'button', 'Invite');
    await fill(page, 'Name', NAME);
    await fill(page, 'E-mail', 'nobody');
    expect(await page.$$eval('select option', (all) => all.map(({ value }) => value))).toEqual([
      'viewer',
      'editor',
      'manager',
    ]);
    await press(page, 'button', 'Invite');
    await untilSays(page, 'must be a valid email address.', '[slot="errorMessage"]');
    expect(await seriousFindings(page)).toEqual([]);
    await fill(page, 'E-mail', 'ada@example.com');
    await page.keyboard.press('Enter');
    await byRole(page, 'button', 'Copy link');
    await untilSays(page, 'works once, within 7 days, and won’t be shown again.');
    // The link isn't shown again, so the browser's Back button doesn't close the dialog without a question.
    await page.evaluate(() => history.back());
    await byRole(page, 'alertdialog', 'Leave without copying the link?');
    await press(page, 'button', 'Stay');
    await untilAt(page, '/people');
    const link = await page.$eval('[role="dialog"] a', ({ textContent }) => textContent);
    const context = await page.browser().createBrowserContext();
    const other = await context.newPage();
    await other.goto(world.server.url);
    await byRole(other, 'textbox', 'Access token');
    // The page has removed the code from its URL, so it keeps the code until the server has received it.
    await other.setOfflineMode(true);
    await other.evaluate((url) => location.assign(url), link);
    await untilSays(other, 'Can’t reach the server. Try again.', '[role="alert"]');
    await other.setOfflineMode(false);
    await press(other, 'button', 'Try again');
    await isSignedIn(other);
    await untilSays(other, NAME);
    expect(await other.$$eval('nav[aria-label="Main"] a', (all) => all.map(({ textContent }) => textContent))).toEqual([
      'Library',
      'Posts',
      'Best times',
      'Trash',
    ]);
    await page.bringToFront();
    await press(page, 'button', 'Close');
    await act('Change role');
    await page.select('[role="dialog"] select', 'manager');
    await press(page, 'button', 'Change role');
    await untilSays(page, 'Manager', 'td');
    expect(await page.$$eval('tbody :is(th, td)', (all) => all.map(({ textContent }) => textContent.trim()))).toEqual([
      NAME,
      'ada@example.com',
      'Manager',
      'Active',
      '⋯',
    ]);
    await page.setViewport({ width: 390, height: 844 });
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await press(other, 'link', 'People');
    await untilSays(other, 'You', 'th small');
    await page.bringToFront();
    await act('End sessions');
    await untilSays(page, `${NAME} was signed out everywhere.`, '[role="status"]');
    await press(other, 'link', 'Posts');
    // This person has never had a token, so the page first tells them to ask for a new link.
    await untilSays(other, 'Ask a manager of the library for a new link', 'form');
    await byRole(other, 'textbox', 'Access token');
    await act('Remove');
    await press(page, 'button', 'Remove');
    await isGone(page, 'table');
    await other.goto(link);
    await untilSays(other, 'This link has already been used', '[role="alert"]');
    await context.close();
  });

  test('are offered the sign-in provider, and shown why it did not sign them in', async () => {
    await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
    await page.evaluateOnNewDocument(() =>
      document.addEventListener('readystatechange', () => {
        const named = Object.assign(document.createElement('meta'), {
          name: 'postshelf-sign-in-with',
          content: 'ACME',
        });
        document.head.append(named);
      }),
    );
    await page.goto(`${world.server.url}/#error=unverified`);
    const provided = await byRole(page, 'link', 'Sign in with ACME');
    expect(await provided.evaluate((element) => (element as HTMLAnchorElement).href)).toBe(
      `${world.server.url}/v1/sessions/oidc`,
    );
    await untilSays(page, 'Your e-mail address isn’t verified.', '[role="alert"]');
    await untilSays(page, 'the operator of this service can set OIDC_TRUST_EMAIL.', '[role="alert"]');
    expect(page.url()).toBe(`${world.server.url}/`);
  });
});
