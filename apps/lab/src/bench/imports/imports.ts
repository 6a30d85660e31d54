import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, repeatConcurrently } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { makePhoto } from '../support/bodies.ts';
import { source, sourceOf, startScript, withPrograms } from '../support/program.ts';
import { type Service, send, startNewService, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide, type Worker } from '../support/side-by-side.ts';

const ROUNDS = 7;
const CONCURRENCY = 8;
const IMAGES = 300;

const WARM_UPS = 7;

/** Allows imports from the origin on this machine. */
const LOOPBACK = { IMPORT_ALLOWED_NETWORKS: '127.0.0.0/8' };

export const imports: Benchmark = {
  about:
    '`POST /v1/workspaces/{workspace}/media_contents` of the URL of a JPEG of 100 KB on a server of this machine, ' +
    `${CONCURRENCY} at a time, ${IMAGES} a round. The service answers when the image is fetched and stored durably. It is compared with a bare ` +
    '`Bun.serve` that fetches the URL into a file and syncs the file and its folder.',

  run: (progress, beside) =>
    withPrograms(async (folder, until) => {
      const [bareData, file] = [join(folder, 'bare'), join(folder, 'photo.jpg')];
      await mkdir(bareData);
      await Bun.write(file, await makePhoto());
      const origin = await until(startScript(join(import.meta.dir, 'origin.ts'), { FILE: file }));
      const body = JSON.stringify({ url: `${origin.root}/photo.jpg` });
      const type = { 'Content-Type': 'application/json' };
      const side = (pid: number, url: string, headers: Readonly<Record<string, string>>): Worker => ({
        pid,
        work: async () => {
          await repeatConcurrently(CONCURRENCY, IMAGES, () => send(url, { ...headers, ...type }, body));
          return IMAGES;
        },
      });
      const ours = async (name: string, by: Program): Promise<Worker> => {
        const settings = { ...LOOPBACK, DATA_DIR: join(folder, name) };
        const service: Service = await until(startNewService(settings, by));
        return side(service.pid, uploadUrl(service), service.headers);
      };
      const bare = async (): Promise<Worker> => {
        const { pid, root } = await until(startScript(join(import.meta.dir, 'bare.ts'), { FOLDER: bareData }));
        return side(pid, root, {});
      };
      const one = await ours('ours', source);
      const other = beside === null ? await bare() : await ours('beside', sourceOf(beside));
      progress(`measuring: ${ROUNDS} rounds of ${IMAGES} images`);
      const theirName = beside === null ? 'bare' : 'beside';
      return figuresOf('', 'images/s', await sideBySide(ROUNDS, one, other, WARM_UPS), undefined, theirName);
    }),
};
