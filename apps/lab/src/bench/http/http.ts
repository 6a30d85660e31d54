import { join } from 'node:path';
import type { Program } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { load } from '../support/load.ts';
import { source, sourceOf, startScript, withPrograms } from '../support/program.ts';
import { type Service, send, startNewService, uploadUrl } from '../support/service.ts';
import { figure, figuresOf, sideBySide, type Worker } from '../support/side-by-side.ts';

const ROUNDS = 9;
const CONNECTIONS = 16;
const SECONDS = 4;

/** Lists that are measured only against another checkout, because the bare server doesn't serve lists. */
const LISTS = { '100 folders': 'media_library/folders?per_page=100', '100 items': 'media_contents?per_page=100' };

const SECRET = 'benchmark-secret-0123456789abcdef0123456789abcdef';

/** The smallest GIF there is: one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const http: Benchmark = {
  about:
    '`GET /v1/media_contents/{id}` from `postshelf serve` with its default settings: it looks up revocation and workspace, ' +
    'checks the answer by its schema and logs a line. It is compared with a bare `Bun.serve` that verifies the same token by ' +
    `HMAC and reads the same row by one prepared statement. ${CONNECTIONS} connections of autocannon, ${SECONDS} s a round. ` +
    'If autocannon is slower than the bare server, the ratio by CPU time is the fairer one.',

  run: (progress, beside) =>
    withPrograms(async (folder, until) => {
      const item = async (name: string, by: Program): Promise<Item> => {
        const settings = { DATA_DIR: join(folder, name), JWT_SECRET: SECRET };
        const service = await until(startNewService(settings, by));
        return { service, path: `/v1/media_contents/${await uploadPixel(uploadUrl(service), service.headers)}` };
      };
      /** Starts the bare server that reads the row of the item. */
      const bare = async ({ service, path }: Item): Promise<Worker> => {
        const { database, root, headers } = service;
        const probe = (own: string) => new Request(own + path, { headers });
        const settings = { DATABASE: database, SECRET, ROOT: root };
        const script = await until(startScript(join(import.meta.dir, 'bare.ts'), settings, probe));
        await requireEqual(root + path, script.root + path, headers);
        return reader(script.pid, script.root + path, headers);
      };
      const ours = ({ service, path }: Item): Worker => reader(service.pid, service.root + path, service.headers);
      progress('starting');
      const one = await item('ours', source);
      const other = beside === null ? null : await item('beside', sourceOf(beside));
      progress(`measuring: ${ROUNDS} rounds`);
      const { speed, byCpu } = await sideBySide(ROUNDS, ours(one), other ? ours(other) : await bare(one));
      const theirName = other ? 'beside' : 'bare';
      const ratio = figure(`ours ÷ ${theirName}`, speed.ratio, 'ratio');
      const figures = [
        other ? ratio : { ...ratio, goal: { kind: 'at least', value: 0.5 } as const },
        figure('ours', speed.ours, 'req/s'),
        figure(theirName, speed.theirs, 'req/s'),
        figure(`ours ÷ ${theirName}, requests by CPU time of the server`, byCpu.ratio, 'ratio'),
        figure('ours, by CPU time', byCpu.ours, 'req/s'),
        figure(`${theirName}, by CPU time`, byCpu.theirs, 'req/s'),
      ];
      if (!other) return figures;
      await Promise.all([one, other].map(({ service }) => fillLists(service)));
      for (const [name, list] of Object.entries(LISTS)) {
        progress(`measuring ${name}`);
        const at = ({ service }: Item): Item => ({ service, path: `/v1/workspaces/${service.workspace}/${list}` });
        const both = await sideBySide(ROUNDS, ours(at(one)), ours(at(other)));
        figures.push(...figuresOf(`${name}: `, 'req/s', both, undefined, theirName));
      }
      return figures;
    }),
};

interface Item {
  readonly service: Service;
  readonly path: string;
}

const reader = (pid: number, url: string, headers: Service['headers']): Worker => ({
  pid,
  work: async () => {
    const { requests, seconds } = await load(url, { connections: CONNECTIONS, seconds: SECONDS, headers });
    return { done: requests, seconds };
  },
});

/** Uploads the pixel and returns its id. */
async function uploadPixel(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = new FormData();
  body.append('files[]', new Blob([PIXEL]), 'pixel.gif');
  const { data } = (await send(url, headers, body)) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}

/** Fills a page of each of the {@link LISTS}. */
async function fillLists(service: Service): Promise<void> {
  for (let n = 0; n < 100; n++) {
    const folder = JSON.stringify({ name: `Folder ${n}` });
    await service.post(`/workspaces/${service.workspace}/media_library/folders`, 'application/json', folder);
    await uploadPixel(uploadUrl(service), service.headers);
  }
}

/** Checks that both servers return the same answer, because otherwise their speeds can't be compared. */
async function requireEqual(ours: string, bare: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const [one, other] = await Promise.all(
    [ours, bare].map(async (url) => (await fetch(url, { headers })).json() as Promise<unknown>),
  );
  if (!Bun.deepEquals(one, other)) throw new Error(`They differ: ${JSON.stringify(one)} ${JSON.stringify(other)}`);
}
