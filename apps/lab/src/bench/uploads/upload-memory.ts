import { compiled, memoryOf, type Program, repeatAtOnce } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { largeFiles, MULTIPART, streamOf } from '../support/bodies.ts';
import { withPrograms } from '../support/program.ts';
import { send, startNewService, uploadUrl } from '../support/service.ts';

const FILES = 10;

export const uploadMemory: Benchmark = {
  about:
    `The most memory that the program as one file ever had resident (VmHWM) while ${FILES} files of 200 MiB came by multipart: all ` +
    `in one request, and ${FILES} requests at once with one each; a new process for either.`,

  run: async (progress) => {
    const by = compiled(await buildProgram());
    const figures: Figure[] = [];
    for (const [what, requests] of [
      [`one request of ${FILES} files`, 1],
      [`${FILES} requests at once`, FILES],
    ] as const) {
      progress(what);
      const value = await peakOf(requests, by);
      figures.push({ what, value, unit: 'MB', goal: { kind: 'at most', value: 150 } });
    }
    return figures;
  },
};

const peakOf = (requests: number, by: Program): Promise<number> =>
  withPrograms(async (folder, until) => {
    const service = await until(startNewService({ DATA_DIR: folder }, by));
    const headers = { ...service.headers, 'Content-Type': MULTIPART };
    await repeatAtOnce(requests, requests, async () => {
      await send(uploadUrl(service), headers, streamOf(await largeFiles(FILES / requests)));
    });
    return (await memoryOf(service.pid)).peak / 1e6;
  });
