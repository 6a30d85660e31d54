import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, repeatConcurrently } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { cameraPhotoBody, MULTIPART, photoBody } from '../support/bodies.ts';
import { source, sourceOf, startScript, withPrograms } from '../support/program.ts';
import { send, startNewService, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide, type Worker } from '../support/side-by-side.ts';

const ROUNDS = 7;
const CONCURRENCY = 8;

const WARM_UPS = 5;

/** The uploaded photos, by their size. */
const PHOTOS = {
  '100 KB': { prefix: '', make: photoBody, uploads: 500, hashes: false, goal: 0.4 },
  '6 MB': { prefix: '6 MB: ', make: cameraPhotoBody, uploads: 40, hashes: true, goal: 0.9 },
} as const;

export const uploads: Benchmark = {
  about:
    `\`POST /v1/workspaces/{workspace}/media_contents\` of a JPEG as \`multipart/form-data\`, ${CONCURRENCY} at a time. The service answers when ` +
    `file, folders and row are stored durably. A round has ${PHOTOS['100 KB'].uploads} photos of 100 KB, or ${PHOTOS['6 MB'].uploads} of 6 MB, as phones ` +
    'make them. It is compared with a bare `Bun.serve` that writes the same body, unread, to a file and syncs the file and its ' +
    'folder; of 6 MB it also computes the SHA-256. Previews are made only on request, because previews made in advance would be ' +
    'made while the other side is measured.',

  run: async (progress, beside) => {
    const figures: Figure[] = [];
    for (const [size, { prefix, make, uploads: count, hashes, goal }] of Object.entries(PHOTOS)) {
      progress(`measuring ${size}: ${ROUNDS} rounds of ${count} uploads`);
      const compared = await compare(await make(), count, hashes, beside);
      figures.push(
        ...(beside === null
          ? figuresOf(prefix, 'uploads/s', compared, goal)
          : figuresOf(prefix, 'uploads/s', compared, undefined, 'beside')),
      );
    }
    return figures;
  },
};

const compare = (body: Buffer<ArrayBuffer>, count: number, hashes: boolean, beside: string | null) =>
  withPrograms(async (folder, until) => {
    const side = (pid: number, url: string, headers: Readonly<Record<string, string>>): Worker => ({
      pid,
      work: async () => {
        await repeatConcurrently(CONCURRENCY, count, () => send(url, { ...headers, 'Content-Type': MULTIPART }, body));
        return count;
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
      const settings = { FOLDER: data, ...(hashes && { HASHES: 'true' }) };
      const { pid, root } = await until(startScript(join(import.meta.dir, 'bare.ts'), settings));
      return side(pid, root, {});
    };
    const one = await ours('ours', source);
    const other = beside === null ? await bare() : await ours('beside', sourceOf(beside));
    return sideBySide(ROUNDS, one, other, WARM_UPS);
  });
