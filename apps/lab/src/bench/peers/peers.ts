import { join } from 'node:path';
import { repeatAtOnce } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { type Compared, inTurn } from '../in-turn.ts';
import { makeGrain } from '../support/bodies.ts';
import { type IndexPlace, makeFilm } from '../support/film.ts';
import { startScript, withPrograms } from '../support/program.ts';
import { figure } from '../support/side-by-side.ts';
import { startDirectus } from './directus.ts';
import { installPeers } from './install.ts';
import { startOurs } from './ours.ts';
import { asMultipart, type Library } from './peer.ts';
import { startTus } from './tus.ts';

const ROUNDS = 5;
const AT_ONCE = 8;
const UPLOADS = 100;
const READS = 1000;
const FILM_BYTES = 200e6;

/** A photo of some 112 KB. */
const PHOTO = { width: 716, height: 536, quality: 80 };

const ORIGIN = join(import.meta.dir, '../imports/origin.ts');

export const peers: Benchmark = {
  onlyNamed: true,
  about:
    `The program as one file beside Directus 11.3.5 (Node, SQLite, a folder) and tus-node-server 2.4.5 (FileStore), all with what they ` +
    `come with, asked by one client on the same machine; ${AT_ONCE} requests at once, films one by one. Ours syncs what it answers for, ` +
    'hashes it, looks inside, and makes the cover of a film before the answer; the others do none of it, but that Directus reads ' +
    'dimensions of photos. Films are coded as phones do, their index before the pictures or behind them.',

  async run(progress) {
    const installed = await installPeers(progress);
    if (installed === null) {
      progress('SKIPPED: Directus and tus-node-server could not be installed by npm; the lines above say why');
      return [];
    }
    const binary = await buildProgram();
    return withPrograms(async (folder, until) => {
      const ours = await until(startOurs(binary, folder));
      const directus = await until(startDirectus(installed, folder));
      const figures: Figure[] = [];
      const compare = async (
        what: string,
        unit: string,
        rounds: readonly [Round, Round],
        name: string,
        goal?: number,
      ) => {
        progress(`${what}, beside ${name}`);
        figures.push(...linesOf(what, unit, name, await inTurn(ROUNDS, ...rounds), goal));
      };

      const photo = await makeGrain(PHOTO.width, PHOTO.height).jpeg({ quality: PHOTO.quality }).bytes();
      await Bun.write(join(folder, 'photo.jpg'), photo);
      const origin = await until(startScript(ORIGIN, { FILE: join(folder, 'photo.jpg') }));
      const both = (round: (library: Library) => Round) => [round(ours), round(directus)] as const;
      const perSecond = (count: number, work: (library: Library) => Promise<unknown>) =>
        both((library) => () => timesASecond(count, () => work(library)));

      const bodies = new Map(
        [ours, directus].map((library) => {
          const [head, end] = asMultipart(library.field, 'photo.jpg', 'image/jpeg');
          return [library, Buffer.concat([head, photo, end])];
        }),
      );
      const send = (library: Library) => library.upload(bodies.get(library) ?? Buffer.alloc(0));
      const size = `${Math.round(photo.length / 1000)} KB`;
      await compare(`uploads of ${size}`, '/s', perSecond(UPLOADS, send), 'Directus');
      const url = `${origin.root}/photo.jpg`;
      const importOne = (library: Library) => library.importUrl(url);
      await compare(`imports of ${size}`, '/s', perSecond(UPLOADS, importOne), 'Directus');
      await compare(
        'lists of 25 with their total',
        '/s',
        perSecond(READS, (library) => library.list()),
        'Directus',
      );
      const items = new Map(await Promise.all([ours, directus].map(async (each) => [each, await send(each)] as const)));
      const readOne = (library: Library) => library.read(items.get(library) ?? '');
      await compare('reads of one item', '/s', perSecond(READS, readOne), 'Directus');

      const tus = await until(startTus(installed, folder));
      for (const place of ['first', 'last'] as const) {
        const film = await makeFilm(folder, FILM_BYTES, place);
        if (film === null) {
          progress('SKIPPED: films, as there is no ffmpeg to make one');
          return figures;
        }
        const upload = async (library: Library): Promise<Round> => {
          const body = await filmBody(folder, library, film, place);
          return () => megabytesASecond(body.size, () => library.upload(body));
        };
        const [toOurs, toDirectus] = [await upload(ours), await upload(directus)];
        const toTus = () => megabytesASecond(film.size, () => tus.upload(film));
        const what = `a film of ${Math.round(film.size / 1e6)} MB, index ${place}`;
        await compare(what, 'MB/s', [toOurs, toDirectus], 'Directus');
        await compare(what, 'MB/s', [toOurs, toTus], 'tus-node-server', 1);
      }
      return figures;
    });
  },
};

/** A round: its result is work a second. */
type Round = () => Promise<number>;

async function timesASecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await repeatAtOnce(AT_ONCE, count, work);
  return (1000 * count) / (performance.now() - start);
}

async function megabytesASecond(bytes: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return bytes / 1000 / (performance.now() - start);
}

/** Writes the film as a body to disk, from which a client sends it at little cost. */
async function filmBody(
  folder: string,
  { field }: Library,
  film: Bun.BunFile,
  place: IndexPlace,
): Promise<Bun.BunFile> {
  const path = join(folder, `film-${place}-${field.replace(/\W/g, '')}`);
  const [head, end] = asMultipart(field, 'film.mp4', 'video/mp4');
  const sink = Bun.file(path).writer();
  sink.write(head);
  for await (const chunk of film.stream()) {
    sink.write(chunk);
    await sink.flush();
  }
  sink.write(end);
  await sink.end();
  return Bun.file(path);
}

/** @param goal what the ratio should be at least */
const linesOf = (
  what: string,
  unit: string,
  name: string,
  { ours, limit, ratio }: Compared,
  goal?: number,
): Figure[] => [
  {
    ...figure(`${what}: ours ÷ ${name}`, ratio, 'ratio'),
    ...(goal !== undefined && { goal: { kind: 'at least', value: goal } }),
  },
  figure(`${what}: ours`, ours, unit),
  figure(`${what}: ${name}`, limit, unit),
];
