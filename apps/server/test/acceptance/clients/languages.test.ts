import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { serve } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, stringAt } from '../support/reply.ts';
import { collect } from '../support/run.ts';
import { World } from '../support/world.ts';
import { Installed } from './support/installed.ts';

const repository = resolve(import.meta.dir, '../../../../..');

/** A program in docs/examples, and how to run it. */
interface Language {
  readonly file: string;
  /** A command that compiles the file, and is run once. */
  readonly build?: readonly [string, ...string[]];
  readonly command: readonly [string, ...string[]];
  /** The names of further programs that the command needs. */
  readonly needs?: readonly string[];
}

const languages: readonly Language[] = [
  { file: 'library.ts', command: [process.execPath, 'library.ts'] },
  { file: 'library.py', command: ['python3', 'library.py'] },
  { file: 'library.php', command: ['php', 'library.php'] },
  { file: 'library.go', build: ['go', 'build', 'library.go'], command: ['./library'] },
  { file: 'library.sh', command: ['bash', 'library.sh'], needs: ['curl', 'jq'] },
];

/**
 * An environment that keeps Go from downloading anything, including a different version of itself. `GOCACHE` keeps the
 * compiled standard library for the next run.
 */
const GO = {
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
  GOFLAGS: '-mod=mod',
  GOCACHE: join(repository, 'node_modules/.cache/go'),
};

let world: World;
let origin: Origin;
let installed: Installed;
let video: string;

beforeAll(async () => {
  [world, origin, installed] = await Promise.all([World.open(loopback), Origin.open(), Installed.open()]);
  video = origin.page('clip.mp4', serve(fixtures.mp4())).url;
  installed.file('beach.jpg', fixtures.jpeg());
  installed.file('film.mp4', fixtures.mp4());
  installed.file('notes.txt', new TextEncoder().encode('no picture'));
  // The programs ask for pages of 100 items. With these and the three of each run, they need a second page.
  const ten = Array.from({ length: 10 }, (_, index) => file(`${index}.png`, fixtures.png()));
  for (let n = 0; n < 10; n += 1) await world.store(...ten);
  await publish();
});

afterAll(async () => {
  origin.close();
  installed.close();
  await world.close();
});

/** Creates posts in the last weeks. Those on Tuesdays at 18:00 have the most likes. */
async function publish(): Promise<void> {
  const reply = await world.call('POST /workspaces/{workspace}/profiles', { json: { name: 'Club', network: 'x' } });
  const profile = stringAt(reply.json, 'data', 'id');
  const tuesday = new Date();
  tuesday.setUTCDate(tuesday.getUTCDate() - ((tuesday.getUTCDay() + 5) % 7) - 7);
  tuesday.setUTCHours(18, 0, 0, 0);
  for (const [days, likes] of [0, -7, -14, -21].flatMap((week) => [[week, 300] as const, [week + 1, 10] as const])) {
    const published_at = new Date(tuesday.getTime() + days * 86_400_000).toISOString();
    const json = { profile, published_at, metrics: { likes } };
    expect((await world.call('POST /workspaces/{workspace}/posts', { json })).status).toBe(201);
  }
}

for (const language of languages) {
  const { build, command, needs = [] } = language;
  const [tool] = build ?? command;
  const name = `docs/examples/${language.file}`;
  const isThere = hasPrograms([tool, ...needs], name);

  describe.skipIf(!isThere)(name, () => {
    const inFolder = (line: readonly string[], token = String(world.tokens.all), workspace = world.ids.workspace) =>
      collect(line, {
        cwd: installed.folder,
        env: {
          PATH: String(process.env.PATH),
          HOME: installed.folder,
          ...GO,
          POSTSHELF_URL: world.server.url,
          POSTSHELF_TOKEN: token,
          POSTSHELF_WORKSPACE: String(workspace),
        },
      });
    const run = async (args: readonly string[], token?: string, workspace?: string) => {
      const { code, stdout, stderr } = await inFolder([...command, ...args], token, workspace);
      return { code, printed: stdout, said: stderr };
    };

    beforeAll(async () => {
      copyFileSync(join(repository, name), join(installed.folder, language.file));
      if (build) expect(await inFolder(build)).toMatchObject({ code: 0 });
    });

    test('uploads with progress, imports, presigns, lists every page, and finds the best hour', async () => {
      const before = await world.call('GET /workspaces/{workspace}/media_contents');
      const { code, printed, said } = await run(['beach.jpg', video, 'film.mp4']);
      expect({ code, said }).toEqual({ code: 0, said });
      const best = await world.call(`GET /analytics/best_times?workspace=${world.ids.workspace}`);
      const worth = at(best.json, 'data', 'heatmap', 'Tuesday', 18);
      expect(printed.split('\n')).toEqual([
        'uploaded beach.jpg',
        'imported clip.mp4',
        'presigned film.mp4',
        `library of ${Number(at(before.json, 'meta', 'total')) + 3}`,
        `best at Tuesday 18:00, ${Number(worth).toFixed(2)}`,
        '',
      ]);
      expect(said).toMatch(/\r100 %|100\.0%/);
    });

    test('prints that a workspace without posts has no best times yet', async () => {
      const { code, printed } = await run(['beach.jpg', video, 'film.mp4'], world.tokens.foreign, world.ids.foreign);
      expect([code, printed.trimEnd().split('\n').at(-1)]).toEqual([0, 'no best times yet']);
    });

    test('prints the status and the message of a refusal', async () => {
      const stranger = await run(['beach.jpg', video, 'film.mp4'], 'nobody');
      expect(stranger).toMatchObject({ code: 1, printed: '' });
      expect(stranger.said).toContain('401: Unauthenticated.\n');
      const text = await run(['notes.txt', video, 'film.mp4']);
      expect(text).toMatchObject({ code: 1, printed: '' });
      expect(text.said).toMatch(/422: The files\.0 .*\n/);
    });
  });
}
