import { join } from 'node:path';
import { repeatConcurrently } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { largeFiles, MULTIPART, photoBody, streamOf } from '../support/bodies.ts';
import { startScript, withPrograms } from '../support/program.ts';
import { type Service, send, startNewService, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide } from '../support/side-by-side.ts';
import { openReader } from './read-answers.ts';

const ROUNDS = 7;

/** The number of downloads in a round, and the number of connections. */
interface Asked {
  readonly times: number;
  readonly connections: number;
}

export const download: Benchmark = {
  about:
    '`GET /files/{full_name}` from `postshelf serve` with its default settings: it looks up the row, handles ETag and Range, and ' +
    'logs a line. It is compared with a bare `Bun.serve` that answers with `Bun.file` of the same file. A file of 200 MiB is ' +
    'downloaded over one connection, and one of 100 KB over 8. The client only counts the bytes.',

  run: (progress) =>
    withPrograms(async (folder, until) => {
      const service = await until(startNewService({ DATA_DIR: folder }));
      const settings = { FOLDER: join(folder, 'media') };
      const bare = await until(startScript(join(import.meta.dir, 'bare.ts'), settings));
      const compare = async (what: string, path: string, asked: Asked): Promise<Figure[]> => {
        progress(what);
        const both = await sideBySide(
          ROUNDS,
          { pid: service.pid, work: () => read(`${service.root}/files/${path}`, asked) },
          { pid: bare.pid, work: () => read(`${bare.root}/${path}`, asked) },
        );
        return figuresOf(`${what}: `, 'MB/s', both, 0.7);
      };
      const large = await upload(service, streamOf(await largeFiles(1)));
      const small = await upload(service, await photoBody());
      return [
        ...(await compare('200 MiB', large, { times: 8, connections: 1 })),
        ...(await compare('100 KB', small, { times: 5000, connections: 8 })),
      ];
    }),
};

/** Uploads one file and returns its full name. */
async function upload(service: Service, body: Parameters<typeof send>[2]): Promise<string> {
  const answer = await send(uploadUrl(service), { ...service.headers, 'Content-Type': MULTIPART }, body);
  const { data } = answer as { readonly data: readonly { readonly full_name: string }[] };
  return data[0]?.full_name ?? '';
}

/** Downloads the file, and returns the number of megabytes that were read. */
async function read(url: string, { times, connections }: Asked): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  const readers = await Promise.all(Array.from({ length: connections }, () => openReader(hostname, Number(port))));
  const free = [...readers];
  let bytes = 0;
  try {
    await repeatConcurrently(connections, times, async () => {
      const reader = free.pop();
      if (!reader) throw new Error('There are fewer readers than readings.');
      bytes += await reader.read(pathname);
      free.push(reader);
    });
  } finally {
    for (const reader of readers) reader.close();
  }
  return bytes / 1e6;
}
