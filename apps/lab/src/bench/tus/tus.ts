import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryOf, repeatAtOnce } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { makeFilm } from '../support/film.ts';
import { startScript, withPrograms } from '../support/program.ts';
import { type Service, startNewService } from '../support/service.ts';
import { figuresOf, sideBySide, type Worker } from '../support/side-by-side.ts';

const ROUNDS = 5;

/** Bytes of a video. */
const SIZE = 200_000_000;

const AT_ONCE = 10;

/** Bytes per request: the whole file, and a size that fits through proxies with a limit of 100 MB. */
const PIECES = { 'one PATCH': SIZE, 'PATCHes of 50 MB': 50_000_000 } as const;

export const tus: Benchmark = {
  about:
    'A film of 200 MB by a resumable upload (tus 1.0), answered when it is durable, hashed, inspected and has its cover; beside ' +
    '`@tus/server` with its `FileStore`, which syncs nothing, and beside a bare `Bun.serve` that writes the body of one request ' +
    `to a file and syncs it. Memory: the most that \`postshelf serve\` ever had resident (VmHWM) while ${AT_ONCE} such films came at once.`,

  run: async (progress) =>
    withPrograms(async (folder, until) => {
      const film = await makeFilm(folder, SIZE, 'first');
      if (film === null) {
        progress('SKIPPED: there is no ffmpeg to make a film');
        return [];
      }
      const [others, bareData] = [join(folder, 'others'), join(folder, 'bare')];
      await Promise.all([mkdir(others), mkdir(bareData)]);
      const service = await until(startNewService({ DATA_DIR: join(folder, 'data'), PREVIEWS_AHEAD: 'false' }));
      const other = await until(startScript(join(import.meta.dir, 'bare.ts'), { FOLDER: others }));
      const bare = await until(startScript(join(import.meta.dir, '../uploads/bare.ts'), { FOLDER: bareData }));
      const worker = (pid: number, to: TusServer, piece: number): Worker => ({
        pid,
        work: async () => {
          await uploadByTus(to, film, piece);
          return SIZE / 1e6;
        },
      });
      const toBare: Worker = {
        pid: bare.pid,
        work: async () => {
          const { status } = await fetch(bare.root, { method: 'POST', body: film });
          if (status !== 201) throw new Error(`The bare server answered ${status}.`);
          return SIZE / 1e6;
        },
      };
      const figures: Figure[] = [];
      for (const [what, piece] of Object.entries(PIECES)) {
        progress(`beside @tus/server, ${what}: ${ROUNDS} rounds`);
        const theirs = worker(other.pid, { url: `${other.root}/files`, headers: {} }, piece);
        const both = await sideBySide(ROUNDS, worker(service.pid, tusOf(service), piece), theirs);
        figures.push(...figuresOf(`${what}: `, 'MB/s', both, 0.9, '@tus/server'));
      }
      progress(`beside the bare server: ${ROUNDS} rounds`);
      const both = await sideBySide(ROUNDS, worker(service.pid, tusOf(service), SIZE), toBare);
      figures.push(...figuresOf('one PATCH: ', 'MB/s', both));
      for (const [what, piece] of Object.entries(PIECES)) {
        progress(`memory, ${what}`);
        figures.push(await memoryFigure(what, film, piece));
      }
      return figures;
    }),
};

const tusOf = ({ root, workspace, headers }: Service): TusServer => ({
  url: `${root}/v1/workspaces/${workspace}/uploads`,
  headers: { ...headers },
});

const memoryFigure = (what: string, film: Bun.BunFile, piece: number): Promise<Figure> =>
  withPrograms(async (folder, until) => {
    const service = await until(startNewService({ DATA_DIR: folder, PREVIEWS_AHEAD: 'false' }));
    await repeatAtOnce(AT_ONCE, AT_ONCE, () => uploadByTus(tusOf(service), film, piece));
    const value = (await memoryOf(service.pid)).peak / 1e6;
    return { what: `${AT_ONCE} at once, ${what}`, value, unit: 'MB', goal: { kind: 'at most', value: 150 } };
  });

const TUS = { 'Tus-Resumable': '1.0.0' };

/** The address where uploads are created, and the headers that requests need besides those of tus. */
interface TusServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Uploads a file with tus 1.0, in requests of at most `piece` bytes.
 *
 * @throws Error for any answer but the expected one
 */
async function uploadByTus(to: TusServer, file: Bun.BunFile, piece: number): Promise<void> {
  const headers = { ...to.headers, ...TUS };
  const fileName = Buffer.from(`${randomUUID()}.mp4`).toString('base64');
  const created = await fetch(to.url, {
    method: 'POST',
    headers: { ...headers, 'Upload-Length': String(file.size), 'Upload-Metadata': `filename ${fileName}` },
  });
  const location = created.headers.get('Location');
  if (created.status !== 201 || location === null)
    throw new Error(`${to.url} answered ${created.status}: ${await created.text()}`);
  for (let offset = 0; offset < file.size; offset += piece) {
    const body = file.slice(offset, Math.min(offset + piece, file.size));
    const sent = await fetch(new URL(location, to.url), {
      method: 'PATCH',
      headers: { ...headers, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
      body,
    });
    if (sent.status !== 204)
      throw new Error(`PATCH at ${offset} was answered with ${sent.status}: ${await sent.text()}`);
  }
}
