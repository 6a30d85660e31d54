// `postshelf import` is killed repeatedly, and each file still becomes one item.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { png } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { at } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { allItems, FIRST, fill, picture, put, TakingIn } from './support/taking-in.ts';

const FILES = sized(150, 10_000);
const KILLS = sized(3, 5);
const MB = 1024 * 1024;

let world: World;
let home: string;
let source: string;
let taking: TakingIn;

beforeAll(async () => {
  world = await World.open();
  home = scratchFolder();
});

afterAll(async () => {
  await world.close();
  removeFolder(home);
});

/** Chooses an empty folder to import. */
function open(name: string, args: readonly string[] = []): void {
  source = join(home, name);
  taking = new TakingIn(world, source, join(home, `${name}.csv`), args);
}

/** The number of lines with this status. A line that the command is still writing may be missing. */
const lines = (status: string): number =>
  existsSync(taking.report) ? readFileSync(taking.report, 'utf8').split(`,${status},`).length - 1 : 0;

async function killOnce(what: string, isReached: () => boolean | Promise<boolean>): Promise<void> {
  const running = taking.start();
  await until(what, isReached);
  running.child.kill('SIGKILL');
  await running.exited;
  running.forget();
}

test(`postshelf import creates one item for each of ${FILES} files despite ${KILLS} kills`, async () => {
  open('many', ['--folders']);
  const paths = fill(source, FILES);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const goal = Math.floor((kill * FILES) / (KILLS + 1));
    await killOnce(`${goal} files are imported`, () => lines('imported') >= goal);
  }
  const { code, json } = await taking.run();
  expect(code).toBe(0);
  expect(json).toMatchObject({ duplicates: 0, refused: 0, skipped: 0 });
  expect(Number(at(json, 'imported')) + Number(at(json, 'earlier'))).toBe(FILES);

  const rows = taking.rows();
  expect(rows.map(({ path }) => path).sort()).toEqual(paths.sort());
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['imported']));
  const items = await allItems(world);
  expect(items).toHaveLength(FILES);
  const byId = new Map(items.map((item) => [item.id, item]));
  expect(byId.size).toBe(FILES);
  for (const { path, media_id, sha256 } of rows) {
    const number = Number(/(\d+)\.png$/.exec(path)?.[1]);
    expect(byId.get(media_id)).toMatchObject({
      name: `${number}.png`,
      details: { sha256, created_at: new Date((FIRST + number) * 1000).toISOString() },
    });
    expect(sha256).toBe(createHash('sha256').update(picture(number)).digest('hex'));
  }
  const { json: folders } = await world.call('GET /workspaces/{workspace}/media_library/folders');
  expect(at(folders, 'meta', 'total')).toBe(Math.ceil(FILES / 100));
});

test('postshelf import continues the interrupted upload of a large file, and repairs a truncated report', async () => {
  open('large');
  // Image readers ignore the trailing zeros.
  put(source, 'large.png', Buffer.concat([png(), Buffer.alloc(sized(100, 1000) * MB)]));
  const uploadId = (): string => {
    const text = existsSync(taking.report) ? readFileSync(taking.report, 'utf8') : '';
    return /^large\.png,([0-9a-f-]{36}),sending/m.exec(text)?.[1] ?? '';
  };
  await killOnce('the upload has begun', () => uploadId() !== '');
  const begun = uploadId();
  writeFileSync(taking.report, `large.png,${begun},impor`, { flag: 'a' });
  expect(await taking.run()).toMatchObject({ code: 0, json: { imported: 1 } });
  expect(taking.rows()).toHaveLength(1);
  expect(taking.row('large.png')).toMatchObject({ status: 'imported', media_id: begun });
});
