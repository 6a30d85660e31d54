import type { Dialog, ElementHandle, HTTPRequest, Page } from 'puppeteer-core';
import type { InstalledBrowser } from '../../support/browsers.ts';
import { until, within } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

export interface LibraryOptions {
  /** The name of one of the world's tokens. */
  readonly token?: string;
  /**
   * `window` opens a separate window, which stays visible next to others. The default is a tab, which hides other tabs.
   */
  readonly type?: 'tab' | 'window';
  /** This function is called before the page is loaded. */
  readonly prepare?: (page: Page) => void;
  readonly width?: number;
  readonly height?: number;
}

/** The tab that {@link openLibrary} opened last in each browser. */
const tabs = new WeakMap<InstalledBrowser, Page>();

/**
 * Opens a page of the library with a session of one of the world's tokens. The page replaces the previous one of the
 * file, because opening a tab takes more processor time than loading a page. So tests close their page only if they
 * have changed the tab, for example by emulating a phone, or if the page would continue to work.
 */
export async function openLibrary(
  browser: InstalledBrowser,
  world: World,
  path: string,
  { token = 'all', type = 'tab', prepare, width = 1280, height = 900 }: LibraryOptions = {},
): Promise<Page> {
  const isShared = type === 'tab' && !prepare;
  const page = isShared ? await sharedTab(browser) : await browser.openTab({ type });
  prepare?.(page);
  await page.setViewport({ width, height });
  await page.browserContext().setCookie(await sessionCookie(world, token));
  // If a test failed, the previous page may still contain unsaved changes, and then asks before it is left.
  const leave = (dialog: Dialog) => dialog.accept();
  page.on('dialog', leave);
  await page.goto(`${world.server.url}${world.fill(path)}`);
  page.off('dialog', leave);
  return page;
}

async function sharedTab(browser: InstalledBrowser): Promise<Page> {
  const last = tabs.get(browser);
  if (last && !last.isClosed()) {
    // Axe's runs emulate these features, but only in Chromium. Firefox doesn't know this command.
    if (browser.name === 'Chromium') await last.emulateMediaFeatures();
    return last;
  }
  const page = await browser.openTab();
  tabs.set(browser, page);
  return page;
}

async function sessionCookie(world: World, token: string) {
  const { origin, hostname } = new URL(world.server.url);
  const json = { token: world.tokens[token] };
  const reply = await world.call('POST /sessions', { token: null, headers: { origin }, json });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`No session: ${reply.status} ${reply.text}`);
  return { name, value, domain: hostname, path: '/', httpOnly: true, sameSite: 'Strict' as const };
}

/** Milliseconds without progress after which a step fails. */
const STEP_PATIENCE = 20_000;

/**
 * Milliseconds between looks at the page. Each look takes the browser several milliseconds of processor time. By default
 * Puppeteer polls with each frame, which makes the browser draw all the time.
 */
export const POLLING = 50;

/** Waits for the element with the given accessible role and name. */
export async function byRole(page: Page, role: string, name?: string): Promise<ElementHandle<HTMLElement>> {
  const selector = `aria/${name ?? ''}[role="${role}"]`;
  let found: ElementHandle<Element> | null = null;
  let failure: unknown;
  const look = async (): Promise<boolean> => {
    // `page.$` throws while a different page is loading.
    found = await page.$(selector).catch((error: unknown) => {
      failure = error;
      return null;
    });
    return found !== null;
  };
  await until(`there is ${selector}`, look, STEP_PATIENCE, POLLING).catch(({ message }: Error) => {
    throw new Error(message, { cause: failure });
  });
  return found as unknown as ElementHandle<HTMLElement>;
}

/** Clicks an element as soon as it is there and enabled. */
export async function press(page: Page, role: string, name: string): Promise<void> {
  for (;;) {
    const element = await byRole(page, role, name);
    // The element may be disabled until a response arrives, and may then be rendered again.
    const isReady = (found: HTMLElement) => !found.isConnected || !found.matches(':disabled, [aria-disabled="true"]');
    // Most elements are ready, and a look takes less processor time than a wait.
    if (!(await element.evaluate(isReady))) await untilHolds(page, isReady, element);
    if (await click(element)) return;
  }
}

/** Milliseconds for which an element must not move before it is clicked: more than a few frames of a busy machine. */
const STILL = 100;

/** The maximum number of clicks on an element. A click misses if the element moves after it has been located. */
const MISSES = 3;

/**
 * Clicks an element once it has stopped moving, because a page that is still loading or a dialog that is opening could
 * move it away from under the mouse. Repeats a click that misses.
 *
 * @returns false if the element was rendered again in the meantime
 */
async function click(element: ElementHandle<Element>): Promise<boolean> {
  for (let miss = 0; miss < MISSES; miss += 1) {
    // The element is scrolled into view before it is watched. Puppeteer's click would otherwise scroll and move it.
    await element.scrollIntoView().catch(() => undefined);
    await until('the element stands still', () => element.evaluate(standsStill, STILL));
    if (!(await element.evaluate((found) => found.isConnected))) return false;
    const seen = await element.evaluateHandle((found) => {
      const clicks = { isHit: false };
      found.addEventListener('click', () => Object.assign(clicks, { isHit: true }), { once: true, capture: true });
      return clicks;
    });
    try {
      await element.click();
    } catch (error) {
      // The element may have been rendered again since the last look.
      if (await element.evaluate((found) => found.isConnected)) throw error;
      return false;
    }
    // If the element is gone, the click has led to a different page, or closed the dialog or menu around the element.
    const isDone = ({ isHit }: { isHit: boolean }, found: Element) => isHit || !found.isConnected;
    if (await seen.evaluate(isDone, element).catch(() => true)) return true;
  }
  return true;
}

/** Whether an element is gone, or doesn't move within the given number of milliseconds. */
async function standsStill(found: Element, milliseconds: number): Promise<boolean> {
  const place = (): string => {
    const { x, y, width, height } = found.getBoundingClientRect();
    return [x, y, width, height].join();
  };
  const before = place();
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return !found.isConnected || place() === before;
}

/** Selects a row of the library by a click next to its image. A click on the image would open the item. */
export async function selectRow(page: Page, name: string): Promise<void> {
  const words = await (await byRole(page, 'row', name)).waitForSelector('.tile-name');
  if (words) await click(words);
}

/** Waits until the item is open, and then opens its details. */
export async function showDetails(page: Page, name: string): Promise<void> {
  await byRole(page, 'dialog', name);
  await press(page, 'button', 'Details');
  await byRole(page, 'complementary', 'Details');
}

/** Replaces the text of a textbox by typing the new text. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  const field = await byRole(page, 'textbox', name);
  await field.focus();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  if (text === '') await page.keyboard.press('Delete');
  else await page.keyboard.type(text);
}

/**
 * Holds the requests of a page whose URLs match, so that a test can act while they are pending. Has to be called before
 * the page is loaded.
 *
 * @returns the held requests, and a function that sends them and holds no more
 */
export function holdRequests(page: Page, pattern: RegExp) {
  const held: HTTPRequest[] = [];
  let isHolding = true;
  void page.setRequestInterception(true);
  page.on('request', (request) => {
    if (isHolding && pattern.test(request.url())) held.push(request);
    else void request.continue().catch(() => undefined);
  });
  const release = (): void => {
    isHolding = false;
    // A request may have been cancelled in the meantime.
    for (const request of held) void request.continue().catch(() => undefined);
  };
  return { held, release };
}

/** Waits until a function that runs in the page, with these values or elements, returns a truthy value. */
export async function untilHolds<Given extends unknown[]>(
  page: Page,
  holds: (...given: Given) => unknown,
  ...given: { [Nth in keyof Given]: Given[Nth] | ElementHandle<Given[Nth] & Element> }
): Promise<void> {
  const waiting = page.waitForFunction(holds as () => unknown, { polling: POLLING }, ...(given as []));
  await within(`a page on which this holds: ${holds} (${given.join(', ')})`, waiting, STEP_PATIENCE);
}

/** Waits until an element that matches the selector, by default the whole page, contains a text. */
export function untilSays(page: Page, text: string, selector = 'body'): Promise<void> {
  const isShown = (within: string, wanted: string) =>
    Array.from(document.querySelectorAll<HTMLElement>(within)).some((one) => one.textContent.includes(wanted));
  return untilHolds(page, isShown, selector, text);
}

/** Waits until the path of the URL starts with `path`. */
export const untilAt = (page: Page, path: string): Promise<void> =>
  untilHolds(page, (start) => location.pathname.startsWith(start), path);
