import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compiled, memoryOf, type Program, repeatConcurrently } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { startScript, withPrograms } from '../support/program.ts';
import { type Service, startNewService } from '../support/service.ts';
import { figuresOf, sideBySide, type Worker } from '../support/side-by-side.ts';
import { makeVideo } from '../support/video.ts';

const ROUNDS = 5;

/** Bytes of a video. */
const SIZE = 200_000_000;

const CONCURRENCY = 10;

/** Bytes per request: the whole file, and a size that fits through proxies with a limit of 100 MB. */
const PIECES = { 'one PATCH': SIZE, 'PATCHes of 50 MB': 50_000_000 } as const;

export const tus: Benchmark = {
  about:
    'Uploads a video of 200 MB by tus 1.0. The service answers when the video is stored durably, hashed and inspected, and has ' +
    'its cover. It is compared with `@tus/server` and its `FileStore`, which syncs nothing, and with a bare `Bun.serve` that ' +
    'writes the body of one request to a file and syncs it. Memory: the maximum that the program as one file has resident ' +
    `(VmHWM) during ${CONCURRENCY} concurrent uploads of such a video.`,

  run: async (progress) =>
    withPrograms(async (folder, until) => {
      const video = await makeVideo(folder, SIZE, 'first');
      if (video === null) {
        progress('SKIPPED: there is no ffmpeg to make a video');
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
          await uploadByTus(to, video, piece);
          return SIZE / 1e6;
        },
      });
      const toBare: Worker = {
        pid: bare.pid,
        work: async () => {
          const { status } = await fetch(bare.root, { method: 'POST', body: video });
          if (status !== 201) throw new Error(`The bare server answered ${status}.`);
          return SIZE / 1e6;
        },
      };
      const figures: Figure[] = [];
      for (const [what, piece] of Object.entries(PIECES)) {
        progress(`compared with @tus/server, ${what}: ${ROUNDS} rounds`);
        const theirs = worker(other.pid, { url: `${other.root}/files`, headers: {} }, piece);
        const both = await sideBySide(ROUNDS, worker(service.pid, tusOf(service), piece), theirs);
        figures.push(...figuresOf(`${what}: `, 'MB/s', both, 0.9, '@tus/server'));
      }
      progress(`compared with the bare server: ${ROUNDS} rounds`);
      const both = await sideBySide(ROUNDS, worker(service.pid, tusOf(service), SIZE), toBare);
      figures.push(...figuresOf('one PATCH: ', 'MB/s', both));
      const by = compiled(await buildProgram());
      for (const [what, piece] of Object.entries(PIECES)) {
        progress(`memory, ${what}`);
        figures.push(await memoryFigure(what, video, piece, by));
      }
      return figures;
    }),
};

const tusOf = ({ root, workspace, headers }: Service): TusServer => ({
  url: `${root}/v1/workspaces/${workspace}/uploads`,
  headers: { ...headers },
});

const memoryFigure = (what: string, video: Bun.BunFile, piece: number, by: Program): Promise<Figure> =>
  withPrograms(async (folder, until) => {
    const service = await until(startNewService({ DATA_DIR: folder, PREVIEWS_AHEAD: 'false' }, by));
    await repeatConcurrently(CONCURRENCY, CONCURRENCY, () => uploadByTus(tusOf(service), video, piece));
    const value = (await memoryOf(service.pid)).peak / 1e6;
    return { what: `${CONCURRENCY} at once, ${what}`, value, unit: 'MB', goal: { kind: 'at most', value: 150 } };
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
 * @throws Error for an unexpected answer
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
