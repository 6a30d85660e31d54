import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

const ALL: RunOptions = { resultTypes: ['violations'] };
/** The schemes differ in colours only. */
const COLOURS: RunOptions = { ...ALL, runOnly: ['color-contrast'] };

/** Axe's serious and critical findings on the page: each with its colour scheme, rule and element. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return [...(await findingsIn(page, 'light', ALL)), ...(await findingsIn(page, 'dark', COLOURS))];
}

async function findingsIn(page: Page, scheme: 'light' | 'dark', options: RunOptions): Promise<string[]> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(given),
    options,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${scheme} ${id}: ${html.slice(0, 200)}`));
}
