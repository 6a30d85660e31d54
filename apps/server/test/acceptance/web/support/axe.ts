import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

const ALL: RunOptions = { resultTypes: ['violations'] };
/** The schemes differ only in colours, so in the dark one only this rule is checked. */
const COLOURS: RunOptions = { ...ALL, runOnly: ['color-contrast'] };

type Scheme = 'light' | 'dark';

/** Axe's serious and critical findings on the page: each with its colour scheme, rule, element and reason. */
export async function seriousFindings(page: Page, schemes: readonly Scheme[] = ['light', 'dark']): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const found: string[] = [];
  for (const scheme of schemes) found.push(...(await findingsIn(page, scheme, scheme === 'light' ? ALL : COLOURS)));
  return found;
}

async function findingsIn(page: Page, scheme: Scheme, options: RunOptions): Promise<string[]> {
  // Text that fades in has less contrast, and a page that is still being filled may fade in again.
  const still = { name: 'prefers-reduced-motion', value: 'reduce' };
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }, still]);
  await page.evaluate(untilStill);
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(given),
    options,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${scheme} ${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
    );
}

/** Waits for the end of animations that users see even with reduced motion. Animations without an end are ignored. */
async function untilStill(): Promise<void> {
  const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(ending.map(({ finished }) => finished));
}
