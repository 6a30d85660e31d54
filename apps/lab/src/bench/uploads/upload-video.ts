import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { MULTIPART, partEnd, partHead } from '../support/bodies.ts';
import { send, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide } from '../support/side-by-side.ts';
import { type IndexPlace, makeVideo } from '../support/video.ts';
import { withBoth } from './start.ts';

const ROUNDS = 5;

/** Bytes of a video: nearly the maximum for a file in a multipart upload. */
const SIZE = 200_000_000;

export const uploadVideo: Benchmark = {
  about:
    '`POST /v1/workspaces/{workspace}/media_contents` of one video of 200 MB. The service answers when the video is stored ' +
    'durably, hashed, and has its cover. It is compared with a bare `Bun.serve` that writes the same body, unread, to a file ' +
    'and syncs it. `index first` and `index last`: where the video has its movie box.',

  run: (progress) =>
    withBoth(async ({ service, bare, folder }) => {
      const figures: Figure[] = [];
      for (const place of ['first', 'last'] as const) {
        const body = await bodyOf(folder, place);
        if (body === null) {
          progress('SKIPPED: there is no ffmpeg to make a video');
          return [];
        }
        progress(`index ${place}: ${ROUNDS} rounds`);
        const headers = { ...service.headers, 'Content-Type': MULTIPART };
        const round = (url: string) => async () => {
          await send(url, headers, body);
          return SIZE / 1e6;
        };
        const both = await sideBySide(
          ROUNDS,
          { pid: service.pid, work: round(uploadUrl(service)) },
          { pid: bare.pid, work: round(bare.root) },
        );
        figures.push(...figuresOf(`index ${place}: `, 'MB/s', both));
      }
      return figures;
    }),
};

/** Stores the body as a file, because a client that sends a file uses hardly any processor time. */
async function bodyOf(folder: string, place: IndexPlace): Promise<Bun.BunFile | null> {
  const video = await makeVideo(folder, SIZE, place);
  if (video === null) return null;
  const body = Bun.file(join(folder, `body-${place}`));
  const writer = body.writer();
  writer.write(partHead('video.mp4'));
  for await (const chunk of video.stream()) {
    writer.write(chunk);
    await writer.flush();
  }
  writer.write(partEnd);
  await writer.end();
  return body;
}
