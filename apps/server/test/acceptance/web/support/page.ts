import type { ElementHandle, Page } from 'puppeteer-core';
import type { InstalledBrowser } from '../../support/browsers.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

export interface LibraryOptions {
  /** The name of one of the world's tokens. */
  readonly token?: string;
  readonly width?: number;
  readonly height?: number;
}

/** A tab at a page of the library, signed in by a session of one of the world's tokens. */
export async function openLibrary(
  browser: InstalledBrowser,
  world: World,
  path: string,
  { token = 'all', width = 1280, height = 900 }: LibraryOptions = {},
): Promise<Page> {
  const page = await browser.openTab();
  await page.setViewport({ width, height });
  await page.browserContext().setCookie(await sessionCookie(world, token));
  await page.goto(`${world.server.url}${world.fill(path)}`);
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

/** Milliseconds; what a machine that does other things too may need for a step. */
const PATIENCE = 20_000;

/** The element of that role and name, as screen readers have it, once it is there. */
export async function byRole(page: Page, role: string, name?: string): Promise<ElementHandle<HTMLElement>> {
  const selector = `aria/${name ?? ''}[role="${role}"]`;
  let found: ElementHandle<Element> | null = null;
  let refused: unknown;
  // Puppeteer's own wait asks for it with each frame, which keeps the browser from what is waited for.
  const look = async (): Promise<boolean> => {
    // While another page is loaded there is nothing to look at.
    found = await page.$(selector).catch((error: unknown) => {
      refused = error;
      return null;
    });
    return found !== null;
  };
  await until(`there is ${selector}`, look, PATIENCE).catch(({ message }: Error) => {
    throw new Error(message, { cause: refused });
  });
  return found as unknown as ElementHandle<HTMLElement>;
}

export async function press(page: Page, role: string, name: string): Promise<void> {
  const element = await byRole(page, role, name);
  // What the page has just asked for may still be under way.
  await untilHolds(page, (found: HTMLElement) => !found.matches(':disabled, [aria-disabled="true"]'), element);
  await element.click();
}

/** Types into a textbox in place of what it has. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  const field = await byRole(page, 'textbox', name);
  await field.focus();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  if (text === '') await page.keyboard.press('Delete');
  else await page.keyboard.type(text);
}

/** Milliseconds from one look of {@link untilHolds} to the next: Puppeteer's own is with each frame, which has the browser draw all the time. */
const POLLING = 50;

/** Waits until a function in the page, which is given these values or elements, says so. */
export async function untilHolds<Given extends unknown[]>(
  page: Page,
  holds: (...given: Given) => unknown,
  ...given: { [Nth in keyof Given]: Given[Nth] | ElementHandle<Given[Nth] & Element> }
): Promise<void> {
  await page.waitForFunction(holds as () => unknown, { timeout: 60_000, polling: POLLING }, ...(given as []));
}

/** Waits until an element, the page unless it is given, says a text. */
export function untilSays(page: Page, text: string, selector = 'body'): Promise<void> {
  const says = (within: string, wanted: string) =>
    Array.from(document.querySelectorAll<HTMLElement>(within)).some((one) => one.textContent.includes(wanted));
  return untilHolds(page, says, selector, text);
}

/** Waits until the address begins with a path. */
export const untilAt = (page: Page, path: string): Promise<void> =>
  untilHolds(page, (start) => location.pathname.startsWith(start), path);
