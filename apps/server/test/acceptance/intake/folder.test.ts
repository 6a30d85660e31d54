// These tests import a folder with `postshelf import` into a real service.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { heifFixture } from '@postshelf/testing/fixtures';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { program } from '../support/program.ts';
import { arrayAt, at } from '../support/reply.ts';
import { run } from '../support/run.ts';
import { collect, removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';
import { allItems, FIRST, picture, put, TakingIn } from './support/taking-in.ts';

let world: World;
/** The folder that contains `source`, the folder to import. */
let home: string;
let source: string;
let taking: TakingIn;
let number = 1_000_000;

/** Returns an image that no other test uses. */
const another = (): Uint8Array => {
  number += 1;
  return picture(number);
};

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

beforeEach(() => {
  if (home) removeFolder(home);
  home = scratchFolder();
  source = join(home, 'source');
  mkdirSync(source);
  taking = new TakingIn(world, source, join(home, 'report.csv'));
});

const itemOf = async (path: string): Promise<unknown> => {
  const id = taking.row(path)?.media_id;
  return at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data');
};

const foldersBelow = async (parent: string): Promise<unknown[]> =>
  arrayAt((await world.call(`GET /workspaces/{workspace}/media_library/folders?parent_id=${parent}`)).json, 'data');

test('postshelf import makes items with dates and folders, and reports the outcome of every file', async () => {
  put(source, 'Beach.JPG', jpeg(), FIRST);
  put(source, 'Summer/2019/sea.png', another(), FIRST + 1);
  put(source, 'summer/clip.mp4', mp4(), FIRST + 2);
  put(source, 'Summer/copy.JPG', jpeg(), FIRST + 3);
  put(source, 'notes.txt', 'no picture');
  put(source, 'empty.png', '');
  put(source, 'damaged.png', png().subarray(0, 100));
  for (const path of ['.DS_Store', 'Summer/Thumbs.db', '.git/objects/aa.png', '@eaDir/x.jpg'])
    put(source, path, another());
  put(source, 'Summer/thumbnail_sea.png', another());
  symlinkSync(join(source, 'Beach.JPG'), join(source, 'link.jpg'));
  await run(['mkfifo', join(source, 'pipe')], { cwd: home, env: process.env });

  const { code, json } = await taking.run(['--folders', '--exclude', 'thumbnail_*']);
  expect(code).toBe(1);
  expect(json).toMatchObject({
    workspace: world.ids.workspace,
    imported: 3,
    duplicates: 1,
    earlier: 0,
    refused: 3,
    skipped: 7,
  });
  const rows = taking.rows();
  const statusOf = (path: string): string => String(rows.find((row) => row.path === path)?.status);
  expect(rows.map(({ path, status, reason }) => [path, status, reason]).sort()).toEqual(
    [
      ['.DS_Store', 'skipped', 'It is hidden.'],
      ['.git', 'skipped', 'It is hidden.'],
      ['@eaDir', 'skipped', 'It belongs to an operating system.'],
      ['Beach.JPG', statusOf('Beach.JPG'), ''],
      ['Summer/2019/sea.png', 'imported', ''],
      ['Summer/Thumbs.db', 'skipped', 'It belongs to an operating system.'],
      ['Summer/copy.JPG', statusOf('Summer/copy.JPG'), ''],
      ['Summer/thumbnail_sea.png', 'skipped', 'It is excluded.'],
      ['damaged.png', 'refused', 'The file is damaged: its media data is incomplete.'],
      ['empty.png', 'refused', 'The file must not be empty.'],
      ['link.jpg', 'skipped', 'It is a symbolic link.'],
      ['notes.txt', 'refused', 'The file must be a file of type: jpeg, png, gif, webp, mp4, mov.'],
      ['pipe', 'skipped', 'It is not a regular file.'],
      ['summer/clip.mp4', 'imported', ''],
    ].sort(),
  );
  // These two files have the same bytes, and either one may be read first.
  const twins = rows.filter(({ path }) => /JPG$/.test(path));
  expect(twins.map(({ status }) => status).sort()).toEqual(['duplicate', 'imported']);
  expect(new Set(twins.map(({ media_id }) => media_id)).size).toBe(1);

  const [summer, ...others] = await foldersBelow('root');
  // `Summer` and `summer` became one folder, because folder names aren't case-sensitive.
  expect(others).toEqual([]);
  const [year] = await foldersBelow(String(at(summer, 'id')));
  expect(at(year, 'name')).toBe('2019');
  const modified = (seconds: number) => ({ created_at: new Date(seconds * 1000).toISOString() });
  expect(await itemOf('Summer/2019/sea.png')).toMatchObject({
    ...{ name: 'sea.png', folder_id: at(year, 'id'), status: 'active' },
    details: modified(FIRST + 1),
  });
  expect(await itemOf('summer/clip.mp4')).toMatchObject({ folder_id: at(summer, 'id'), details: modified(FIRST + 2) });
  expect(readdirSync(home).sort()).toEqual(['report.csv', 'source']);

  put(source, 'damaged.png', another());
  put(source, 'Beach.JPG', another(), FIRST + 60);
  const again = await taking.run(['--folders', '--exclude', 'thumbnail_*']);
  expect(again).toMatchObject({ code: 1, json: { imported: 2, duplicates: 0, earlier: 3, refused: 2, skipped: 7 } });
  expect(taking.rows()).toHaveLength(rows.length);
  expect(taking.row('damaged.png')).toMatchObject({ status: 'imported' });
});

test('postshelf import finds duplicates even without a report, and exits with 0 if no file was refused', async () => {
  const known = another();
  const { id } = await world.storeOne(file('known.png', known));
  put(source, 'a.png', known);
  put(source, 'b.png', another());
  expect(await taking.run()).toMatchObject({ code: 0, json: { imported: 1, duplicates: 1 } });
  expect(taking.row('a.png')).toMatchObject({ status: 'duplicate', media_id: id });
  renameSync(taking.report, `${taking.report}.old`);
  expect(await taking.run()).toMatchObject({ code: 0, json: { imported: 0, duplicates: 2 } });
});

test('postshelf import --dry-run prints the expected outcome of every file, and changes nothing', async () => {
  put(source, 'a.png', another());
  put(source, 'b.txt', 'no picture');
  put(source, '.hidden.png', another());
  const before = await allItems(world);
  const { code, json } = await taking.run(['--dry-run'], {
    token: '',
    settings: { POSTSHELF_URL: 'http://127.0.0.1:1' },
  });
  expect({ code, json }).toMatchObject({
    code: 1,
    json: { would_import: 1, refused: 1, skipped: 1, examples: [{ path: 'b.txt' }] },
  });
  expect(await allItems(world)).toEqual(before);
  expect(existsSync(taking.report)).toBe(false);
});

test('postshelf import accepts any file name, and its report is safe for spreadsheets', async () => {
  const names = [
    '=1+1.png',
    "'quoted'.png",
    '-dash.png',
    '@at.png',
    'new\nline, "and" comma.png',
    'a\\b:c*d?e<f>g|h.png',
    'Ünï 🐈.png',
    `${'é'.repeat(120)}.png`,
    ' .png',
    `${'x'.repeat(251)}.png`,
    '\u202ereversed.png',
  ];
  for (const name of names) put(source, name, another());
  expect(await taking.run(['--folders'])).toMatchObject({ code: 0, json: { imported: names.length } });
  const text = readFileSync(taking.report, 'utf8');
  expect(text).not.toMatch(/(^|\n|,)"?[=+\-@]/);
  expect(text).toContain(`"'=1+1.png",`);
  const paths = taking.rows().map(({ path }) => path);
  expect(paths.sort()).toEqual([...names].sort());
  const named = taking.rows().find(({ path }) => path.startsWith('a\\b'));
  expect(at((await world.call(`GET /media_contents/${named?.media_id}`)).json, 'data', 'name')).toBe(
    'a-b:c*d?e<f>g|h.png',
  );
  expect(await taking.run()).toMatchObject({ code: 0, json: { imported: 0, earlier: names.length } });
});

test('postshelf import refuses names that are not UTF-8, and flattens folders that are nested too deep', async () => {
  // The name of the file is in ISO 8859-1, so it isn't valid UTF-8.
  await run(['sh', '-c', 'printf x >"$(printf "caf\\351.png")"'], { cwd: source, env: process.env });
  const deep = Array.from({ length: 20 }, (_, level) => `level ${level}`).join('/');
  put(source, `${deep}/deep.png`, another());
  const { code, json } = await taking.run(['--folders']);
  expect({ code, json }).toMatchObject({ code: 1, json: { imported: 1, refused: 1 } });
  expect(at(json, 'examples', 0, 'reason')).toBe('Its name is not UTF-8: rename it, for example with convmv.');
  expect(taking.row(`${deep}/deep.png`)?.reason).toBe(
    'Its folders are nested too deep, so the file was put into the deepest folder that is allowed.',
  );
  const folder = at(await itemOf(`${deep}/deep.png`), 'folder_id');
  expect(at((await world.call(`GET /media_library/folders/${folder}`)).json, 'data', 'name')).toBe('level 15');
});

test('postshelf import finds duplicates of a photo that was converted when it was stored', async () => {
  const { file: bytes } = await heifFixture('photo.heic');
  for (const name of ['a.heic', 'b.heic']) put(source, name, bytes);
  expect(await taking.run()).toMatchObject({ code: 0, json: { imported: 1, duplicates: 1 } });
  const [a, b] = taking.rows();
  expect(a?.media_id).toBe(String(b?.media_id));
});

test('postshelf import writes its report to the current folder, and refuses a report of another import', async () => {
  put(source, 'a.png', another());
  const env = { ...program.environment, POSTSHELF_URL: world.server.url, POSTSHELF_TOKEN: String(world.tokens.all) };
  const { code } = await collect([...program.command, 'import', source], { cwd: home, env });
  expect(code).toBe(0);
  expect(readdirSync(home).filter((name) => /^postshelf-import-source-[0-9a-f]{8}\.csv$/.test(name))).toHaveLength(1);
  const inside = await collect([...program.command, 'import', source], { cwd: source, env });
  expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('must not be in') });
  expect(readdirSync(source)).toEqual(['a.png']);

  await taking.run();
  const elsewhere = await taking.run([], { token: 'foreign' });
  expect(elsewhere).toMatchObject({ code: 1, json: { message: expect.stringContaining('belongs to the workspace') } });
  put(home, 'other.csv', 'something, else\n');
  const wrong = await new TakingIn(world, source, join(home, 'other.csv')).run();
  expect(wrong).toMatchObject({
    code: 1,
    json: { message: expect.stringContaining('is not the report of an import') },
  });
});
