import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { document } from '../support/contract.ts';
import { png } from '../support/fixtures.ts';
import { at } from '../support/reply.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(60_000);

const executablePath = Bun.which('chromium') ?? Bun.which('google-chrome');

// A browser is the one part that not every developer has; CI installs it and skips nothing.
if (!executablePath) process.stderr.write('SKIPPED: no chromium on the PATH, so /docs is not tried in a browser.\n');

describe.skipIf(!executablePath)('/docs in a browser', () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    world = await World.open();
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${world.server.url}/docs`);
    await page.locator('.opblock').first().waitFor();
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  test('shows every operation', async () => {
    const paths = Object.values(Object(at(document, 'paths'))).flatMap((methods) => Object.keys(Object(methods)));
    expect(await page.locator('.opblock').count()).toBe(paths.length);
  });

  test('a file is uploaded with a token, and without one the answer is 401', async () => {
    const path = join(world.dataDir, 'beach.png');
    writeFileSync(path, png());
    const block = page.locator('[id$="-mediaImportUrl"]');
    await block.locator('.opblock-summary-control').click();
    await block.locator('input[placeholder=workspace]').fill(String(world.ids.workspace));
    await block.locator('.opblock-section-request-body select').first().selectOption('multipart/form-data');
    await block.locator('input[type=file]').first().setInputFiles(path);
    await block.locator('.execute').click();
    await block.locator('.live-responses-table .response-col_status', { hasText: '401' }).waitFor();

    await page.locator('button.authorize').first().click();
    await page.locator('.auth-container input').fill(String(world.tokens.all));
    await page.locator('.auth-btn-wrapper button[type=submit]').click();
    await page.locator('.btn-done').click();
    await block.locator('.execute').click();
    await block.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
    expect(await block.locator('.live-responses-table').textContent()).toContain('beach.png');
  });

  test('leads to the guide, which is styled and logs no errors', async () => {
    await page.locator('a', { hasText: 'The guide' }).click();
    await page.locator('h2#presigned-uploads').waitFor();
    const collapsed = await page
      .locator('table')
      .first()
      .evaluate((table) => getComputedStyle(table).borderCollapse);
    expect(collapsed).toBe('collapse');
  });

  test('sent requests only to this service, and logged no errors', () => {
    const outside = asked.filter((url) => !url.startsWith('data:') && !url.startsWith(`${world.server.url}/`));
    expect(outside).toEqual([]);
    // The browser's own word for the answer that the test wanted.
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
  });
});
