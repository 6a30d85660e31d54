import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, repeatAtOnce } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { MULTIPART, photoBody } from '../support/bodies.ts';
import { source, sourceOf, startScript, withPrograms } from '../support/program.ts';
import { send, startNewService, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide, type Worker } from '../support/side-by-side.ts';

const ROUNDS = 7;
const AT_ONCE = 8;
const UPLOADS = 500;

export const uploads: Benchmark = {
  about:
    `\`POST /v1/workspaces/{workspace}/media_contents\`, a JPEG of 100 KB as \`multipart/form-data\`, ${AT_ONCE} at once, ` +
    `${UPLOADS} a round, each durable before its answer: file, folders and row. Beside a bare \`Bun.serve\` that writes the ` +
    'same body, unread, to a file and syncs the file and its folder. Previews are left until somebody asks: made ahead, they ' +
    'would be made while the other side is measured.',

  run: (progress, beside) =>
    withPrograms(async (folder, until) => {
      const body = await photoBody();
      const side = (pid: number, url: string, headers: Readonly<Record<string, string>>): Worker => ({
        pid,
        work: async () => {
          await repeatAtOnce(AT_ONCE, UPLOADS, () => send(url, { ...headers, 'Content-Type': MULTIPART }, body));
          return UPLOADS;
        },
      });
      const ours = async (name: string, by: Program): Promise<Worker> => {
        const settings = { DATA_DIR: join(folder, name), PREVIEWS_AHEAD: 'false' };
        const service = await until(startNewService(settings, by));
        return side(service.pid, uploadUrl(service), service.headers);
      };
      const bare = async (): Promise<Worker> => {
        const data = join(folder, 'bare');
        await mkdir(data);
        const { pid, root } = await until(startScript(join(import.meta.dir, 'bare.ts'), { FOLDER: data }));
        return side(pid, root, {});
      };
      const one = await ours('ours', source);
      const other = beside === null ? await bare() : await ours('beside', sourceOf(beside));
      progress(`measuring: ${ROUNDS} rounds of ${UPLOADS} uploads of ${body.length} bytes`);
      return figuresOf('', 'uploads/s', await sideBySide(ROUNDS, one, other), 0.4);
    }),
};
