import { hasPrograms } from '@postshelf/testing/programs';
import {
  type Browser,
  type CreatePageOptions,
  type LaunchOptions,
  type Page,
  default as puppeteer,
} from 'puppeteer-core';

/** A browser that is installed on this machine, unmodified and controlled by a remote protocol. */
export interface InstalledBrowser {
  readonly name: 'Chromium' | 'Firefox';
  /** Opens a tab. If the browser isn't running yet, it is started headless, with an empty profile. */
  openTab(options?: CreatePageOptions): Promise<Page>;
  /** Ends the browser, and deletes its profile. */
  close(): Promise<void>;
}

/** Chromium's sandbox refuses to run as root, as tests do; and it shouldn't contact its vendor. */
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

/** Milliseconds. Two starts and the test itself fit into a test's minute. */
const START_TIMEOUT = 25_000;

const chromium = Bun.which('chromium') ?? Bun.which('google-chrome');
const firefox = Bun.which('firefox-esr') ?? Bun.which('firefox');

function driven(name: InstalledBrowser['name'], options: LaunchOptions): InstalledBrowser {
  const launch = () => puppeteer.launch({ ...options, headless: true, timeout: START_TIMEOUT });
  let running: Promise<Browser> | undefined;
  return {
    name,
    async openTab(options) {
      // A browser's first start on a machine reads hundreds of megabytes, and may take longer than any later one.
      running ??= launch().catch(launch);
      return (await running).newPage(options);
    },
    async close() {
      const browser = await running;
      running = undefined;
      await browser?.close();
    },
  };
}

const inChromium = (executablePath: string): InstalledBrowser =>
  driven('Chromium', { browser: 'chrome', executablePath, args: CHROMIUM_FLAGS });

/** Uses WebDriver BiDi, which every Firefox supports; Playwright's protocol needs a patched Firefox. */
const inFirefox = (executablePath: string): InstalledBrowser =>
  driven('Firefox', { browser: 'firefox', executablePath, protocol: 'webDriverBiDi' });

/**
 * All supported browsers on this machine. {@link hasPrograms} reports missing ones, and fails in CI.
 *
 * @param what describes the tests that are skipped without the browser
 */
export function installedBrowsers(what: string): readonly InstalledBrowser[] {
  if (!chromium) hasPrograms(['chromium'], `${what}, in Chromium`);
  if (!firefox) hasPrograms(['firefox-esr'], `${what}, in Firefox`);
  return [...(chromium ? [inChromium(chromium)] : []), ...(firefox ? [inFirefox(firefox)] : [])];
}
