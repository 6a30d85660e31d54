import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { document } from '../support/contract.ts';
import { png } from '../support/fixtures.ts';
import { at } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { untilHolds, untilSays } from '../web/support/page.ts';

const [browser] = installedBrowsers('the pages at /docs');

describe.skipIf(!browser)('/docs in a browser', () => {
  let world: World;
  let page: Page;
  const asked: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    world = await World.open();
    page = await (browser as NonNullable<typeof browser>).openTab();
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${world.server.url}/docs`);
    await page.waitForSelector('.opblock');
  });

  afterAll(async () => {
    await browser?.close();
    await world.close();
  });

  test('shows every operation', async () => {
    const paths = Object.values(Object(at(document, 'paths'))).flatMap((methods) => Object.keys(Object(methods)));
    expect(await page.$$('.opblock')).toHaveLength(paths.length);
  });

  test('uploads a file with a token, and shows 401 without one', async () => {
    const path = join(world.dataDir, 'beach.png');
    writeFileSync(path, png());
    const block = '[id$="-mediaImportUrl"]';
    const press = (selector: string) => page.locator(selector).click();
    await press(`${block} .opblock-summary-control`);
    await page.locator(`${block} input[placeholder=workspace]`).fill(String(world.ids.workspace));
    await page.select(`${block} .opblock-section-request-body select`, 'multipart/form-data');
    const chooser = await page.waitForSelector(`${block} input[type=file]`);
    await (chooser as ElementHandle<HTMLInputElement>).uploadFile(path);
    await press(`${block} .execute`);
    await untilSays(page, '401', `${block} .live-responses-table .response-col_status`);

    await press('button.authorize');
    await press('.auth-container input');
    await page.keyboard.sendCharacter(String(world.tokens.all));
    await press('.auth-btn-wrapper button[type=submit]');
    await press('.btn-done');
    await press(`${block} .execute`);
    await untilSays(page, '201', `${block} .live-responses-table .response-col_status`);
    await untilSays(page, 'beach.png', `${block} .live-responses-table`);
  });

  test('follows the color scheme of the system', async () => {
    const isDark = (): boolean => getComputedStyle(globalThis.document.documentElement).colorScheme === 'dark';
    expect(await page.evaluate(isDark)).toBe(false);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await untilHolds(page, isDark);
  });

  test('links to the guide, which is styled, and no wider than a phone', async () => {
    await page.locator('a ::-p-text(The guide)').click();
    await page.waitForSelector('h2#presigned-uploads');
    expect(await page.$eval('table', (table) => getComputedStyle(table).borderCollapse)).toBe('collapse');
    await page.setViewport({ width: 360, height: 740 });
    for (const path of ['guide', 'reference']) {
      await page.goto(`${world.server.url}/docs/${path}`);
      expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBe(360);
    }
  });

  test('sends requests only to this service, and logs no errors', () => {
    const outside = asked.filter((url) => !url.startsWith('data:') && !url.startsWith(`${world.server.url}/`));
    expect(outside).toEqual([]);
    // The browser itself logs a message about the expected 401.
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
  });
});
