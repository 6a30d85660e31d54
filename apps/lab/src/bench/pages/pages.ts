import { type Browser, type Page, default as puppeteer } from 'puppeteer-core';
import type { Benchmark, Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { postshelf, withPrograms } from '../support/program.ts';
import { makeWorkspace, type Service, startService } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { copyMedia } from './fill.ts';
import { CATEGORIES, isRead, readTrace, type Scrolled, type TraceEvent } from './trace.ts';

const ITEMS = 10_000;
const MADE = 24;
const ROUNDS = 5;
/**
 * The seconds of a round, the pixels that one step of the wheel scrolls, and the milliseconds between two steps.
 * With these values the page scrolls by thirty rows of tiles a second.
 */
const SECONDS = 6;
const STEP = 120;
const PAUSE = 16;

export const pages: Benchmark = {
  about:
    `${ITEMS.toLocaleString('en')} items in the library in a browser: headless Chromium without a GPU, 1440 × 900 pixels. Wheel events scroll by ` +
    `${STEP} pixels every ${PAUSE} ms, for ${SECONDS} seconds a round. Chromium's trace has the frames that were drawn, and the ` +
    'processor time of the main thread between the starts of two frames.',

  run: (progress) =>
    withPrograms(async (folder, until) => {
      const settings = { DATA_DIR: folder };
      const entry = await makeWorkspace(settings);
      const service = await until(startService({ ...settings, PREVIEWS_AHEAD: 'true' }, entry));
      progress(`making ${MADE} images`);
      await postshelf(['demo', '--workspace', entry.workspace, '--items', String(MADE), '--json'], settings);
      await loadPreviews(service);
      copyMedia(folder, entry.workspace, ITEMS);
      const browser = await launch();
      try {
        const page = await openLibrary(browser, service, entry.token);
        const rounds: Scrolled[] = [];
        for (let round = 0; round <= ROUNDS; round += 1) {
          progress(`round ${round} of ${ROUNDS}`);
          const scrolled = await scroll(page, round % 2 === 0 ? STEP : -STEP);
          // The first round warms up.
          if (round > 0) rounds.push(scrolled);
        }
        return figuresOf(rounds);
      } finally {
        await browser.close();
      }
    }),
};

function figuresOf(rounds: readonly Scrolled[]): Figure[] {
  const at = (part: number) =>
    spreadOf(rounds.map(({ mainThread }) => mainThread[Math.floor((mainThread.length - 1) * part)] ?? Number.NaN));
  const frames = spreadOf(rounds.map(({ framesPerSecond }) => framesPerSecond));
  return [
    { ...figure('frames drawn', frames, 'a second'), goal: { kind: 'at least', value: 50 } },
    figure('main thread in a frame, median', at(0.5), 'ms'),
    { ...figure('main thread in a frame, 99th percentile', at(0.99), 'ms'), goal: { kind: 'at most', value: 20 } },
    figure('main thread in a frame, most', at(1), 'ms'),
  ];
}

/** Requests one preview of each image, which makes the service create all previews of the image. */
async function loadPreviews({ get, workspace }: Service): Promise<void> {
  const { data } = (await get(`/workspaces/${workspace}/media_contents?per_page=100&type=image&include=details`)) as {
    readonly data: readonly { readonly details: { readonly previews: readonly { readonly link: string }[] } }[];
  };
  for (const { details } of data) {
    for (const { link } of details.previews) {
      const answer = await fetch(link);
      if (!answer.ok) throw new Error(`${link} answered ${answer.status}`);
      await answer.bytes();
    }
  }
}

function launch(): Promise<Browser> {
  const executablePath = Bun.which('chromium-headless-shell') ?? Bun.which('chromium') ?? Bun.which('google-chrome');
  if (executablePath === null) throw new Error('No chromium on the PATH.');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'];
  return puppeteer.launch({ executablePath, args, headless: true });
}

async function openLibrary(browser: Browser, { root }: Service, token: string): Promise<Page> {
  const { origin, hostname } = new URL(root);
  const headers = { Origin: origin, 'Content-Type': 'application/json' };
  const reply = await fetch(`${root}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`No session: ${reply.status}`);
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await page.browserContext().setCookie({ name, value, domain: hostname, path: '/', httpOnly: true });
  await page.goto(root);
  await page.waitForSelector('[role="grid"] [role="row"] img');
  await page.mouse.move(800, 500);
  return page;
}

/** Turns the wheel at a steady pace, and reads Chromium's trace. */
async function scroll(page: Page, deltaY: number): Promise<Scrolled> {
  const before = await topOf(page);
  const cdp = await page.createCDPSession();
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as TraceEvent[]).filter(isRead)));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: CATEGORIES } });
  const sent: Promise<void>[] = [];
  const end = performance.now() + SECONDS * 1000;
  // The loop doesn't wait until the page has handled each event, because Chromium merges the events of a frame anyway.
  while (performance.now() < end) {
    sent.push(page.mouse.wheel({ deltaY }));
    await Bun.sleep(PAUSE);
  }
  await Promise.all(sent);
  const ended = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await ended;
  await cdp.detach();
  if (Math.abs((await topOf(page)) - before) < STEP * 10) throw new Error('The page was not scrolled.');
  return readTrace(events);
}

const topOf = (page: Page): Promise<number> => page.$eval('[role="grid"]', (grid) => grid.scrollTop);
