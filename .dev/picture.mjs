// Draws docs/library.png and docs/best-times.png, the pictures of the README: the real program with a demo library, in Chromium.
// By Bun; `npm run picture`. What it starts it ends, and what it makes it removes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const { default: puppeteer } = await import(Bun.resolveSync('puppeteer-core', join(root, 'apps', 'server')));

const SIZE = { width: 1440, height: 900 };
/** Bytes of a picture, which everybody who looks at the README loads. */
const MAX_BYTES = 400_000;
/** Milliseconds: previews are made when they are first asked for. */
const PATIENCE = 60_000;

const executablePath = Bun.which('chromium') ?? Bun.which('google-chrome');
if (!executablePath) throw new Error('There is no chromium on the PATH.');
const folder = mkdtempSync(join(tmpdir(), 'postshelf-picture-'));
const { port } = freePort();
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
  const { token } = run('token', 'create', '--workspace', workspace.id, '--json');
  server = Bun.spawn([...program, 'serve'], { env, stdout: 'ignore', stderr: 'inherit' });
  await until(async () => (await fetch(`${url}/health`).catch(() => null))?.ok);
  browser = await puppeteer.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.setViewport(SIZE);
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.goto(url);
  await page.locator('::-p-aria([name="Access token"][role="textbox"])').fill(token);
  await page.locator('::-p-aria([name="Sign in"][role="button"])').click();
  await page.locator('::-p-aria([name="harbour-dawn.jpg"])').wait();
  await page.goto(`${url}/media/${await firstItem(workspace.id, token)}`);
  await page.locator('::-p-aria([name="Ready to publish"][role="table"])').wait();
  await draw(page, 'library.png');
  await page.goto(`${url}/best-times`);
  await page.locator('::-p-aria([name="Best times"][role="table"])').wait();
  await draw(page, 'best-times.png');
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

async function firstItem(workspace, token) {
  const address = `${url}/v1/workspaces/${workspace}/media_contents?per_page=1`;
  const { data } = await (await fetch(address, { headers: { Authorization: `Bearer ${token}` } })).json();
  return data[0].id;
}

/** As the page is once its pictures are there, in as many colours as fit. */
async function draw(page, name) {
  await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
  await page.waitForNetworkIdle({ idleTime: 500, concurrency: 2 });
  const shot = await page.screenshot({ type: 'png' });
  for (const colors of [256, 192, 128, 96, 64]) {
    const png = await new Bun.Image(shot).png({ palette: true, colors, dither: true, compressionLevel: 9 }).bytes();
    if (png.length > MAX_BYTES) continue;
    await Bun.write(join(docs, name), png);
    console.log(`docs/${name}  ${Math.round(png.length / 1000)} KB, ${colors} colours`);
    return;
  }
  throw new Error(`${name} is larger than ${MAX_BYTES} bytes.`);
}

async function until(isSo) {
  const deadline = Date.now() + PATIENCE;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('The service did not start.');
    await Bun.sleep(100);
  }
}

function freePort() {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const found = { port: probe.port };
  probe.stop(true);
  return found;
}
