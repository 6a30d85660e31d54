import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTurn, type Spread, spreadOf } from '../in-turn.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { load } from '../support/load.ts';
import { freePort, postshelf, type Running, serve, start, withFolder } from '../support/program.ts';

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
    withFolder(async (folder) => {
      const running: Running[] = [];
      try {
        progress('starting');
        const { ours, bare, headers } = await startBoth(folder, running);
        progress(`measuring: ${ROUNDS} rounds`);
        const efficiency = { ours: [] as number[], bare: [] as number[] };
        const side =
          (name: keyof typeof efficiency, { pid, url }: Target) =>
          async () => {
            const before = await cpuSeconds(pid);
            const { requests, seconds } = await load(url, { connections: CONNECTIONS, seconds: SECONDS, headers });
            efficiency[name].push(requests / ((await cpuSeconds(pid)) - before));
            return requests / seconds;
          };
        const speed = await inTurn(ROUNDS, side('ours', ours), side('bare', bare));
        // The first of each was the round that doesn't count.
        const byCpu = efficiency.ours.map((value, round) => value / (efficiency.bare[round] ?? Number.NaN)).slice(1);
        return [
          { ...figure('ours ÷ bare', speed.ratio, 'ratio'), goal: { kind: 'at least', value: 0.5 } },
          figure('ours', speed.ours, 'req/s'),
          figure('bare', speed.limit, 'req/s'),
          figure('ours ÷ bare, requests by CPU time of the server', spreadOf(byCpu), 'ratio'),
          figure('ours, by CPU time', spreadOf(efficiency.ours.slice(1)), 'req/s'),
          figure('bare, by CPU time', spreadOf(efficiency.bare.slice(1)), 'req/s'),
        ];
      } finally {
        for (const program of running) await program.stop();
      }
    }),
};

interface Target {
  readonly pid: number;
  /** The address that is asked for. */
  readonly url: string;
}

/** Starts both over one database with one media item in it. Whatever runs is in `running`, also when this fails. */
async function startBoth(folder: string, running: Running[]) {
  const [port, barePort] = [await freePort(), await freePort()];
  const root = `http://127.0.0.1:${port}`;
  const settings = { DATA_DIR: folder, PORT: String(port), JWT_SECRET: SECRET };
  await postshelf(['migrate'], settings);
  const { id: workspace } = await postshelf(['workspace', 'create', '--name', 'Benchmark'], settings);
  const { token } = await postshelf(['token', 'create', '--workspace', String(workspace)], settings);
  const headers = { Authorization: `Bearer ${token}` };
  const service = await serve(settings, root);
  running.push(service);
  const path = `/v1/media_contents/${await upload(`${root}/v1/workspaces/${workspace}/media_contents`, headers)}`;
  const ours: Target = { pid: service.pid, url: root + path };
  const bareUrl = `http://127.0.0.1:${barePort}${path}`;
  const bareSettings = { PORT: String(barePort), DATABASE: join(folder, 'postshelf.db'), SECRET, ROOT: root };
  const server = await start([join(import.meta.dir, 'bare.ts')], bareSettings, new Request(bareUrl, { headers }));
  running.push(server);
  const bare: Target = { pid: server.pid, url: bareUrl };
  await requireEqual(ours, bare, headers);
  return { ours, bare, headers };
}

/** Uploads the pixel and gives its id. */
async function upload(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = new FormData();
  body.append('files[]', new Blob([PIXEL]), 'pixel.gif');
  const response = await fetch(url, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`The upload was refused: ${await response.text()}`);
  const { data } = (await response.json()) as { data: readonly { id: string }[] };
  return data[0]?.id ?? '';
}

/** Both have to give the same, or there is nothing to compare. */
async function requireEqual(ours: Target, bare: Target, headers: Readonly<Record<string, string>>): Promise<void> {
  const [one, other] = await Promise.all(
    [ours, bare].map(async ({ url }) => (await fetch(url, { headers })).json() as Promise<unknown>),
  );
  if (!Bun.deepEquals(one, other)) throw new Error(`They differ: ${JSON.stringify(one)} ${JSON.stringify(other)}`);
}

const figure = (what: string, { median, lowest, highest }: Spread, unit: string): Figure => ({
  what,
  value: median,
  unit,
  spread: [lowest, highest],
});
