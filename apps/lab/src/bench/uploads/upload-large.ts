import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { largeFiles, MULTIPART } from '../support/bodies.ts';
import { send, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide } from '../support/side-by-side.ts';
import { withBoth } from './start.ts';

const ROUNDS = 7;

export const uploadLarge: Benchmark = {
  about:
    '`POST /v1/workspaces/{workspace}/media_contents` of one file of 200 MiB, the maximum of a multipart upload. The service ' +
    'answers when the file is stored durably. It is compared with a bare `Bun.serve` that writes the same body, unread, to a file ' +
    'and syncs it. Only the service also computes the SHA-256 of the bytes.',

  run: (progress) =>
    withBoth(async ({ service, bare, folder }) => {
      const path = join(folder, 'body');
      const bytes = await keepBody(path);
      const headers = { ...service.headers, 'Content-Type': MULTIPART };
      const round = (url: string) => async () => {
        await send(url, headers, Bun.file(path));
        return bytes / 1e6;
      };
      progress(`measuring: ${ROUNDS} rounds`);
      const both = await sideBySide(
        ROUNDS,
        { pid: service.pid, work: round(uploadUrl(service)) },
        { pid: bare.pid, work: round(bare.root) },
      );
      return figuresOf('', 'MB/s', both, 0.6);
    }),
};

/**
 * Stores the body as a file, because a client that sends a file uses hardly any processor time. Returns the body's
 * length.
 */
async function keepBody(path: string): Promise<number> {
  await using file = await open(path, 'w');
  let length = 0;
  for (const chunk of await largeFiles(1)) length += (await file.write(chunk)).bytesWritten;
  return length;
}
