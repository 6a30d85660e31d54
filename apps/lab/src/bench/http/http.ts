import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { load } from '../support/load.ts';
import { startScript, withPrograms } from '../support/program.ts';
import { makeWorkspace, send, startService, uploadUrl } from '../support/service.ts';
import { figure, sideBySide } from '../support/side-by-side.ts';

const ROUNDS = 9;
const CONNECTIONS = 16;
const SECONDS = 4;

const SECRET = 'benchmark-secret-0123456789abcdef0123456789abcdef';

/** The smallest GIF there is: one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const http: Benchmark = {
  about:
    '`GET /v1/media_contents/{id}` of `postshelf serve` with its default settings (revocation and workspace looked up, ' +
    'answer checked by its schema, a line logged), beside a bare `Bun.serve` that verifies the same token by HMAC and reads the ' +
    `same row by one prepared statement. ${CONNECTIONS} connections of autocannon, ${SECONDS} s a round. ` +
    'Where autocannon is slower than the bare server, the ratio by CPU time is the fairer one.',

  run: (progress) =>
    withPrograms(async (folder, until) => {
      progress('starting');
      const settings = { DATA_DIR: folder, JWT_SECRET: SECRET };
      const service = await until(startService(settings, await makeWorkspace(settings)));
      const { headers } = service;
      const path = `/v1/media_contents/${await uploadPixel(uploadUrl(service), headers)}`;
      const bareSettings = { DATABASE: service.database, SECRET, ROOT: service.root };
      const probe = (root: string) => new Request(root + path, { headers });
      const bare = await until(startScript(join(import.meta.dir, 'bare.ts'), bareSettings, probe));
      await requireEqual(service.root + path, bare.root + path, headers);
      const round = (url: string) => async () => {
        const { requests, seconds } = await load(url, { connections: CONNECTIONS, seconds: SECONDS, headers });
        return { done: requests, seconds };
      };
      progress(`measuring: ${ROUNDS} rounds`);
      const { speed, byCpu } = await sideBySide(
        ROUNDS,
        { pid: service.pid, work: round(service.root + path) },
        { pid: bare.pid, work: round(bare.root + path) },
      );
      return [
        { ...figure('ours ÷ bare', speed.ratio, 'ratio'), goal: { kind: 'at least', value: 0.5 } },
        figure('ours', speed.ours, 'req/s'),
        figure('bare', speed.limit, 'req/s'),
        figure('ours ÷ bare, requests by CPU time of the server', byCpu.ratio, 'ratio'),
        figure('ours, by CPU time', byCpu.ours, 'req/s'),
        figure('bare, by CPU time', byCpu.limit, 'req/s'),
      ];
    }),
};

/** Uploads the pixel and returns its id. */
async function uploadPixel(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = new FormData();
  body.append('files[]', new Blob([PIXEL]), 'pixel.gif');
  const { data } = (await send(url, headers, body)) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}

/** Both answers must be equal, as otherwise they can't be compared. */
async function requireEqual(ours: string, bare: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const [one, other] = await Promise.all(
    [ours, bare].map(async (url) => (await fetch(url, { headers })).json() as Promise<unknown>),
  );
  if (!Bun.deepEquals(one, other)) throw new Error(`They differ: ${JSON.stringify(one)} ${JSON.stringify(other)}`);
}
