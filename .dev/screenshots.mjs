// `npm run screenshots`: takes the README's screenshots (docs/library.png and three more) in Chromium, from a server
// with a demo library. It runs in Bun, and stops the server and removes the library at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../packages/harness/src/index.ts';
import { freePort } from '../packages/testing/src/servers/free-port.ts';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const { default: puppeteer } = await import(Bun.resolveSync('puppeteer-core', join(root, 'apps', 'server')));
const { default: sharp } = await import(Bun.resolveSync('sharp', join(root, 'apps', 'lab')));

const SIZE = { width: 1440, height: 900 };
/** Maximum bytes of a screenshot, which is loaded with the README. */
const MAX_BYTES = 400_000;
/** Maximum milliseconds to wait. Previews are made when they are first requested, which takes less than this. */
const TIMEOUT = 60_000;

const executablePath = ['chromium', 'chromium-headless-shell', 'google-chrome']
  .map((name) => Bun.which(name))
  .find(Boolean);
if (!executablePath) throw new Error('There is no chromium on the PATH.');
const folder = mkdtempSync(join(tmpdir(), 'postshelf-screenshots-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  DATA_DIR: join(folder, 'data'),
  PORT: String(port),
  LOG_LEVEL: 'error',
};
const program = [process.execPath, join(root, 'apps', 'server', 'src', 'main.ts')];

let server;
let browser;
try {
  const { workspace } = run('demo', '--json');
  const { token } = run('token', 'create', '--name', 'Anna', '--workspace', workspace.id, '--json');
  server = Bun.spawn([...program, 'serve'], { env, stdout: 'ignore', stderr: 'inherit' });
  await until(
    'the service answers',
    async () => (await fetch(`${url}/health`).catch(() => null))?.ok === true,
    TIMEOUT,
  );
  const args = ['--no-sandbox', '--disable-gpu', '--lang=en-GB', '--accept-lang=en-GB'];
  browser = await puppeteer.launch({ executablePath, args, defaultViewport: SIZE });
  const page = await browser.newPage();
  await page.emulateTimezone('Europe/Lisbon');
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  page.setDefaultTimeout(TIMEOUT);
  await page.goto(url);
  await page.locator('aria/Access token[role="textbox"]').click();
  await page.keyboard.sendCharacter(token);
  await page.locator('aria/Sign in[role="button"]').click();
  await page.waitForSelector('[role="row"][aria-label*="harbour-dawn"]');
  await takeScreenshot(page, 'library.png');
  await page.locator('[role="row"][aria-label*="harbour-dawn"] img').click();
  await page.waitForSelector('aria/Zoom in[role="button"]');
  await page.keyboard.press('i');
  await page.waitForSelector('aria/Alt text[role="textbox"]');
  await takeScreenshot(page, 'viewer.png');
  await page.keyboard.press('Escape');
  await page.waitForSelector('aria/Zoom in[role="button"]', { hidden: true });
  await page.locator('aria/Posts[role="link"]').click();
  await page.locator('aria/Month[role="tab"]').click();
  await page.waitForSelector('.planner-post');
  await takeScreenshot(page, 'planner.png');
  await page.locator('aria/Best times[role="link"]').click();
  await page.waitForSelector('aria/Best times[role="table"]');
  await takeScreenshot(page, 'best-times.png');
} finally {
  await browser?.close();
  server?.kill();
  await server?.exited;
  rmSync(folder, { recursive: true, force: true });
}

function run(...words) {
  const { stdout, stderr, success } = Bun.spawnSync([...program, ...words], { env });
  if (!success) throw new Error(`postshelf ${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout.toString());
}

/** Takes a screenshot in 256 colours once all images in view have loaded. */
async function takeScreenshot(page, name) {
  // Moves the pointer away, so that nothing has a hover style.
  await page.mouse.move(0, SIZE.height - 1);
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading'));
  await page.waitForNetworkIdle({ concurrency: 1 });
  // Images below the fold are loaded only when they are scrolled into view.
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete && image.naturalWidth > 0),
  );
  const shot = await page.screenshot({ type: 'png' });
  const png = await sharp(shot).png({ palette: true, quality: 100, effort: 10, compressionLevel: 9 }).toBuffer();
  if (png.length > MAX_BYTES) throw new Error(`${name} has ${png.length} bytes, more than ${MAX_BYTES}.`);
  await Bun.write(join(docs, name), png);
  console.log(`docs/${name}  ${Math.round(png.length / 1000)} KB`);
}
