import { hasPrograms } from '@postshelf/testing/programs';
import {
  type Browser,
  type BrowserContext,
  type CreatePageOptions,
  type LaunchOptions,
  type Page,
  default as puppeteer,
} from 'puppeteer-core';
import { within } from './until.ts';

/** An unmodified browser that is installed on this machine, and is controlled through a remote protocol. */
export interface InstalledBrowser {
  readonly name: 'Chromium' | 'Firefox';
  /**
   * Opens a tab, after starting the browser headless if it isn't running yet. Each test file has its own cookies and
   * storage.
   */
  openTab(options?: CreatePageOptions): Promise<Page>;
  /** Closes all tabs, and deletes cookies and storage. The browser itself ends with the process that runs the tests. */
  close(): Promise<void>;
}

/**
 * Tests may run as root, but Chromium's sandbox refuses to run as root. The browser also shouldn't contact its vendor.
 */
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
  // Pages run too briefly to benefit from the optimising compilers, which took about 7 % of the processor time.
  '--js-flags=--no-opt --no-maglev',
];

/** How long a browser may take to start, in milliseconds. Its first start on a machine reads hundreds of megabytes. */
const START_PATIENCE = 30_000;

/**
 * Puppeteer's own timeouts are disabled, because `within` and packages/testing/src/waiting/watch-tests.ts end any wait
 * that makes no progress.
 */
const WITHOUT_TIMEOUTS = { timeout: 0, protocolTimeout: 0 };

/**
 * Chromium's headless shell, if it is installed. It is the same engine, but needs only three quarters of the processor
 * time.
 */
const chromium = Bun.which('chromium-headless-shell') ?? Bun.which('chromium') ?? Bun.which('google-chrome');
const firefox = Bun.which('firefox-esr') ?? Bun.which('firefox');

/**
 * Running browsers, which all test files of a process share. Starting Firefox takes as much processor time as ten
 * tests.
 */
const running = new Map<InstalledBrowser['name'], Promise<Browser>>();

function driven(name: InstalledBrowser['name'], options: LaunchOptions): InstalledBrowser {
  const launch = async (): Promise<Browser> => {
    const starting = puppeteer.launch({ ...options, ...WITHOUT_TIMEOUTS, headless: true });
    const browser = await within(`${name} starts`, starting, START_PATIENCE);
    // Bun ends test processes with a signal that they can't handle, so the browser would keep running. A shell waits
    // for this process to end, and then kills the browser. It kills the whole process group, because on Debian a script
    // starts the browser.
    const kill = ['sh', '-c', 'cat >/dev/null; kill -s KILL -- "-$0"', String(browser.process()?.pid)];
    Bun.spawn(kill, { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' }).unref();
    return browser;
  };
  let context: Promise<BrowserContext> | undefined;
  const openContext = async (): Promise<BrowserContext> => {
    const started = running.get(name) ?? launch();
    running.set(name, started);
    return (await started).createBrowserContext();
  };
  return {
    name,
    async openTab(options) {
      context ??= openContext();
      const page = await (await context).newPage(options);
      page.setDefaultTimeout(0);
      return page;
    },
    async close() {
      const opened = await context;
      context = undefined;
      await opened?.close();
    },
  };
}

const inChromium = (executablePath: string): InstalledBrowser =>
  driven('Chromium', { browser: 'chrome', executablePath, args: CHROMIUM_FLAGS });

/** Uses WebDriver BiDi, which every Firefox supports. Playwright's protocol would need a patched Firefox. */
const inFirefox = (executablePath: string): InstalledBrowser =>
  driven('Firefox', { browser: 'firefox', executablePath, protocol: 'webDriverBiDi' });

/**
 * All supported browsers on this machine. {@link hasPrograms} reports missing ones, and fails in CI.
 *
 * @param what describes the tests that are skipped without the browser
 */
export function installedBrowsers(what: string): readonly InstalledBrowser[] {
  if (!chromium) hasPrograms(['chromium-headless-shell'], `${what}, in Chromium`);
  if (!firefox) hasPrograms(['firefox-esr'], `${what}, in Firefox`);
  return [...(chromium ? [inChromium(chromium)] : []), ...(firefox ? [inFirefox(firefox)] : [])];
}
