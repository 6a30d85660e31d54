import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

declare global {
  var axe: {
    run(): Promise<{ violations: { id: string; impact: string | null; nodes: { html: string }[] }[] }>;
  };
}

/** What axe finds serious or critical on the page, in both colour schemes: the scheme, the rule and the first element. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found: string[] = [];
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const { id, impact, nodes } of violations) {
      if (impact === 'serious' || impact === 'critical') found.push(`${value}: ${id}: ${nodes[0]?.html}`);
    }
  }
  return found;
}
