import { type Browser, type LaunchOptions, type Page, default as puppeteer } from 'puppeteer-core';

/** A browser of this machine, driven from outside: as it is installed, without changes for tests. */
export interface InstalledBrowser {
  readonly name: 'Chromium' | 'Firefox';
  /** A new tab. The first one starts the browser, with an empty profile and without a window. */
  openTab(): Promise<Page>;
  /** Ends the browser where it was started. */
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
];

/** Milliseconds; twice, and the test itself, are within a test's minute. */
const START_TIMEOUT = 25_000;

const chromium = Bun.which('chromium') ?? Bun.which('google-chrome');
const firefox = Bun.which('firefox-esr') ?? Bun.which('firefox');

function driven(name: InstalledBrowser['name'], options: LaunchOptions): InstalledBrowser {
  let started: Promise<Browser> | undefined;
  return {
    name,
    async openTab() {
      const launch = () => puppeteer.launch({ ...options, headless: true, timeout: START_TIMEOUT });
      // A browser's first start on a machine reads hundreds of megabytes, and may take longer than any later one.
      started ??= launch().catch(launch);
      return (await started).newPage();
    },
    close: async () => (await started)?.close(),
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
