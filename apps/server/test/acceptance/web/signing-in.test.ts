import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { at, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { byRole, fill, press, untilHolds, untilSays } from './support/page.ts';

setDefaultTimeout(120_000);

const browsers = installedBrowsers('signing in to the library in a browser');

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

/** A new link that signs in once, as printed by the command. */
const newLink = async (): Promise<string> =>
  stringAt(await world.command(['token', 'sign-in-link', world.ids.token ?? '']), 'link');

/** Names of the token's sessions, the newest first. */
const sessions = async (): Promise<unknown> =>
  (at((await world.call('GET /sessions', { token: 'own' })).json, 'data') as { name: string }[]).map(
    ({ name }) => name,
  );

const isSignedIn = (page: Page) => byRole(page, 'navigation', 'Main');

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (name, browser) => {
  let page: Page;

  beforeAll(async () => {
    world.ids.token = await world.token('own', '{workspace}');
    page = await browser.openTab();
  });

  test('a token is exchanged for a session, which the page cannot read; a wrong one is refused', async () => {
    await page.goto(`${world.server.url}/posts`);
    await fill(page, 'Access token', 'wrong');
    await press(page, 'button', 'Sign in');
    await untilSays(page, 'This access token is not valid', '[role="alert"]');
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

  test("a link's code is removed from the address at once, replaces a session only if confirmed, and works once", async () => {
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
    await untilSays(page, 'This link has been used', '[role="alert"]');
    await press(page, 'button', 'Stay signed in');
    await press(page, 'button', 'Sign out');
    await byRole(page, 'textbox', 'Access token');
    expect(await sessions()).toEqual([]);
    await page.goto(link);
    await untilSays(page, 'This link has been used', '[role="alert"]');
    await byRole(page, 'textbox', 'Access token');
    await page.goto(await newLink());
    await isSignedIn(page);
    expect(await page.$('[role="alertdialog"]')).toBeNull();
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
