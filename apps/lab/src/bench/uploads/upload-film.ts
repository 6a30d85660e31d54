import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { MULTIPART, partEnd, partHead } from '../support/bodies.ts';
import { type IndexPlace, makeFilm } from '../support/film.ts';
import { send, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide } from '../support/side-by-side.ts';
import { withBoth } from './start.ts';

const ROUNDS = 5;

/** Bytes of a video: nearly the maximum for a file in a multipart upload. */
const SIZE = 200_000_000;

export const uploadFilm: Benchmark = {
  about:
    '`POST /v1/workspaces/{workspace}/media_contents` of one film of 200 MB, answered when it is durable, hashed and has its ' +
    'cover, beside a bare `Bun.serve` that writes the same body, unread, to a file and syncs it. `index first` and ' +
    '`index last`: where the film has its movie box.',

  run: (progress) =>
    withBoth(async ({ service, bare, folder }) => {
      const figures: Figure[] = [];
      for (const place of ['first', 'last'] as const) {
        const body = await bodyOf(folder, place);
        if (body === null) {
          progress('SKIPPED: there is no ffmpeg to make a film');
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
  const film = await makeFilm(folder, SIZE, place);
  if (film === null) return null;
  const body = Bun.file(join(folder, `body-${place}`));
  const writer = body.writer();
  writer.write(partHead('film.mp4'));
  for await (const chunk of film.stream()) {
    writer.write(chunk);
    await writer.flush();
  }
  writer.write(partEnd);
  await writer.end();
  return body;
}
