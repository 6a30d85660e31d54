import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repeatAtOnce } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { makePhoto } from '../support/bodies.ts';
import { startScript, withPrograms } from '../support/program.ts';
import { makeWorkspace, send, startService, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide } from '../support/side-by-side.ts';

const ROUNDS = 7;
const AT_ONCE = 8;
const IMAGES = 300;

/** Where the origin is, as an operator names it. */
const LOOPBACK = { IMPORT_ALLOWED_NETWORKS: '127.0.0.0/8' };

export const imports: Benchmark = {
  about:
    '`POST /v1/workspaces/{workspace}/media_contents` of the URL of a JPEG of 100 KB on a server of this machine, ' +
    `${AT_ONCE} at once, ${IMAGES} a round, each fetched and durable before its answer. Beside a bare \`Bun.serve\` that fetches ` +
    'the URL into a file and syncs the file and its folder.',

  run: (progress) =>
    withPrograms(async (folder, until) => {
      const [data, bareData, file] = [join(folder, 'data'), join(folder, 'bare'), join(folder, 'photo.jpg')];
      await mkdir(bareData);
      await Bun.write(file, await makePhoto());
      const service = await until(
        startService({ ...LOOPBACK, DATA_DIR: data }, await makeWorkspace({ DATA_DIR: data })),
      );
      const origin = await until(startScript(join(import.meta.dir, 'origin.ts'), { FILE: file }));
      const bare = await until(startScript(join(import.meta.dir, 'bare.ts'), { FOLDER: bareData }));
      const headers = { ...service.headers, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ url: `${origin.root}/photo.jpg` });
      const round = (url: string) => async () => {
        await repeatAtOnce(AT_ONCE, IMAGES, () => send(url, headers, body));
        return IMAGES;
      };
      progress(`measuring: ${ROUNDS} rounds of ${IMAGES} images`);
      const both = await sideBySide(
        ROUNDS,
        { pid: service.pid, work: round(uploadUrl(service)) },
        { pid: bare.pid, work: round(bare.root) },
      );
      return figuresOf('', 'images/s', both);
    }),
};
