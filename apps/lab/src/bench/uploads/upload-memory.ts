import { compiled, memoryOf, type Program, repeatConcurrently } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { largeFiles, MULTIPART, streamOf } from '../support/bodies.ts';
import { withPrograms } from '../support/program.ts';
import { send, startNewService, uploadUrl } from '../support/service.ts';

const FILES = 10;

export const uploadMemory: Benchmark = {
  about:
    `Maximum resident memory (VmHWM) of the program as one file during multipart uploads of ${FILES} files of 200 MiB: all of them ` +
    `in one request, or one in each of ${FILES} concurrent requests. Each case has a new process.`,

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
    await repeatConcurrently(requests, requests, async () => {
      await send(uploadUrl(service), headers, streamOf(await largeFiles(FILES / requests)));
    });
    return (await memoryOf(service.pid)).peak / 1e6;
  });
