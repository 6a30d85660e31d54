import { bucketSettings, compiled, type Entry, memoryOf, type Program } from '@postshelf/harness';
import { makeBucket, openS3Proxy, type ProxiedRequest, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { largeFiles, MULTIPART, streamOf } from '../support/bodies.ts';
import { withPrograms } from '../support/program.ts';
import { makeWorkspace, startService, uploadUrl } from '../support/service.ts';

const UPLOADS = 10;
const WORKSPACES = 5;

/** The requests that the bucket leaves hanging: it accepts them, but neither reads nor answers them. */
const HANGS = {
  'parts of files': ({ method, url }: ProxiedRequest) => method === 'PUT' && url.includes('partNumber='),
  everything: () => true,
} as const;

export const hangingBucket: Benchmark = {
  about:
    `Maximum resident memory (VmHWM) of the program as one file during ${UPLOADS} concurrent multipart uploads of 200 MiB for a bucket ` +
    'that accepts connections but neither reads nor answers, until each upload is refused with 503. The uploads come from one ' +
    `workspace or from ${WORKSPACES}; each case has a new process. Idle: the memory with a bucket that answers, before the uploads.`,

  run: async (progress) => {
    const s3 = await realS3('the benchmark of a bucket that hangs');
    if (!s3) return [];
    const by = compiled(await buildProgram());
    const figures: Figure[] = [];
    let idle = 0;
    for (const [what, hangs] of Object.entries(HANGS)) {
      for (const workspaces of [1, WORKSPACES]) {
        const from = workspaces === 1 ? 'one workspace' : `${workspaces} workspaces`;
        progress(`${what}, ${from}`);
        const memory = await memoryWhile(by, s3, hangs, workspaces);
        idle = memory.idle;
        figures.push({
          what: `${what} hang${what === 'everything' ? 's' : ''}, ${UPLOADS} uploads of ${from}`,
          value: memory.peak,
          unit: 'MB',
          goal: { kind: 'at most', value: 200 },
        });
      }
    }
    return [...figures, { what: 'idle, over a bucket', value: idle, unit: 'MB' }];
  },
};

/** Measures the service's memory, in megabytes, before and during uploads by this many workspaces. */
async function memoryWhile(
  by: Program,
  s3: RealS3,
  hangs: (request: ProxiedRequest) => boolean,
  workspaces: number,
): Promise<{ readonly idle: number; readonly peak: number }> {
  const [{ bucket, remove }, proxy] = [await makeBucket(s3), await openS3Proxy(s3.endpoint)];
  try {
    return await withPrograms(async (folder, until) => {
      const settings = { DATA_DIR: folder, ...bucketSettings({ ...s3, endpoint: proxy.endpoint }, bucket) };
      const entries: Entry[] = [];
      while (entries.length < workspaces) entries.push(await makeWorkspace(settings, 'UTC', by));
      const [first] = entries;
      if (!first) throw new Error('There is no workspace.');
      const service = await until(startService(settings, first, by));
      const idle = (await memoryOf(service.pid)).now / 1e6;
      proxy.decide = (request) => (hangs(request) ? new Promise(() => undefined) : 'pass');
      const each = entries.flatMap((entry) => Array<Entry>(UPLOADS / workspaces).fill(entry));
      await Promise.all(
        each.map(({ workspace, token }) =>
          refused(uploadUrl({ ...service, workspace }), {
            Authorization: `Bearer ${token}`,
            'Content-Type': MULTIPART,
          }),
        ),
      );
      return { idle, peak: (await memoryOf(service.pid)).peak / 1e6 };
    });
  } finally {
    await proxy.close();
    await remove();
  }
}

/**
 * Uploads a file of 200 MiB, which the service may refuse before it is completely sent.
 *
 * @throws Error unless the service answers 503 or ends the connection
 */
async function refused(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const body = streamOf(await largeFiles(1));
  const status = await fetch(url, { method: 'POST', headers, body }).then(
    (response) => response.status,
    () => null,
  );
  if (status !== 503 && status !== null) throw new Error(`${url} answered ${status}`);
}
