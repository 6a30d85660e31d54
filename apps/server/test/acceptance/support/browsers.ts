import { atEndOfTests } from '@postshelf/harness/end-of-tests';
import { type Browser, type BrowserContext, type LaunchOptions, type Page, default as puppeteer } from 'puppeteer-core';

/** A browser of this machine, driven from outside: as it is installed, without changes for tests. */
export interface InstalledBrowser {
  readonly name: 'Chromium' | 'Firefox';
  /** A new tab. The first one starts the browser where it isn't running, with an empty profile and without a window. */
  openTab(): Promise<Page>;
  /** Closes all tabs, and forgets what pages have kept. */
  close(): Promise<void>;
}

/** Tests run as root, which Chromium's own sandbox refuses; and it shouldn't call home. */
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=SpareRendererForSitePerProcess',
  '--disable-software-rasterizer',
];

/** Milliseconds; twice, and the test itself, are within a test's minute. */
const START_TIMEOUT = 25_000;

const chromium = Bun.which('chromium') ?? Bun.which('google-chrome');
const firefox = Bun.which('firefox-esr') ?? Bun.which('firefox');

/**
 * Those that were started. To start one takes seconds, so all files of tests of this process use the same ones, which end
 * with it; each file in a context of its own, with cookies, caches and storage that no other has.
 */
const started = new Map<InstalledBrowser['name'], Promise<Browser>>();

function running(name: InstalledBrowser['name'], options: LaunchOptions): Promise<Browser> {
  const start = () => startBrowser(options);
  const next = started.get(name)?.then((browser) => (browser.connected ? browser : start()), start) ?? start();
  started.set(name, next);
  return next;
}

async function startBrowser(options: LaunchOptions): Promise<Browser> {
  const launch = () => puppeteer.launch({ ...options, headless: true, timeout: START_TIMEOUT });
  // A browser's first start on a machine reads hundreds of megabytes, and may take longer than any later one.
  const browser = await launch().catch(launch);
  atEndOfTests(() => browser.close());
  return browser;
}

function driven(name: InstalledBrowser['name'], options: LaunchOptions): InstalledBrowser {
  let context: Promise<BrowserContext> | undefined;
  return {
    name,
    async openTab() {
      context ??= running(name, options).then((browser) => browser.createBrowserContext());
      return (await context).newPage();
    },
    close: async () => (await context)?.close(),
  };
}

const inChromium = (executablePath: string): InstalledBrowser =>
  driven('Chromium', { browser: 'chrome', executablePath, args: CHROMIUM_FLAGS });

/** By WebDriver BiDi, which every Firefox speaks; Playwright's own protocol needs a Firefox of its makers. */
const inFirefox = (executablePath: string): InstalledBrowser =>
  driven('Firefox', { browser: 'firefox', executablePath, protocol: 'webDriverBiDi' });

/**
 * Every browser on this machine; says which is missing, as CI installs both and skips nothing.
 *
 * @param what is tried in them, for that line
 */
export function installedBrowsers(what: string): readonly InstalledBrowser[] {
  if (!chromium) process.stderr.write(`SKIPPED: no chromium on the PATH, so it is not tried there: ${what}.\n`);
  if (!firefox) process.stderr.write(`SKIPPED: no firefox-esr on the PATH, so it is not tried there: ${what}.\n`);
  return [...(chromium ? [inChromium(chromium)] : []), ...(firefox ? [inFirefox(firefox)] : [])];
}
