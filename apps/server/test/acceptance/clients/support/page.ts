import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { within } from '../../support/until.ts';

/** Bundles a script for browsers, with the packages that are installed in the folder. */
export async function bundle(script: string, folder: string): Promise<string> {
  const entry = join(folder, 'page.mjs');
  copyFileSync(script, entry);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm' });
  const [bundled] = outputs;
  if (!bundled) throw new Error('The page has no script.');
  return bundled.text();
}

/**
 * A page of a different origin than the service. Its script fetches `/settings` and files, and posts a result to
 * `/result`.
 */
export class ScriptedPage {
  #visit = { script: '', settings: {}, result: Promise.withResolvers<unknown>() };
  readonly #server: Bun.Server<undefined>;

  /** @param files the files that the script can fetch, by name */
  constructor(port: number, files: Readonly<Record<string, Uint8Array>>) {
    const file = (type: string, body: string | Uint8Array<ArrayBuffer>) =>
      new Response(body, { headers: { 'Content-Type': type } });
    this.#server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const name = new URL(request.url).pathname.slice(1);
        const { script, settings, result } = this.#visit;
        if (name === '')
          return file(
            'text/html',
            '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
          );
        if (name === 'page.js') return file('text/javascript', script);
        if (name === 'settings') return Response.json(settings);
        if (name === 'result') result.resolve(await request.json());
        const bytes = files[name];
        return bytes ? file('application/octet-stream', Buffer.from(bytes)) : new Response();
      },
    });
  }

  /** Opens the page with a script. Returns the script's result, and the errors in the browser's console. */
  async visit(tab: Page, script: string, settings: object): Promise<{ result: unknown; complaints: string[] }> {
    this.#visit = { script, settings, result: Promise.withResolvers() };
    const complaints: string[] = [];
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await tab.goto(String(this.#server.url));
    const result = await within('the page posts its result', this.#visit.result.promise, 90_000);
    await tab.close();
    return { result, complaints };
  }

  close(): Promise<void> {
    return this.#server.stop(true);
  }
}
