import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { comparePreviews, compareStored } from '../../src/torture/check/compare-stored.ts';
import { readRows } from '../../src/torture/check/rows.ts';
import type { Deployment } from '../../src/torture/deployments/deployment.ts';
import { deployFiles } from '../../src/torture/deployments/files.ts';
import { deleteItem } from '../../src/torture/load/changing.ts';
import { createPost } from '../../src/torture/load/posting.ts';
import { importByUrl, upload, uploadPresigned } from '../../src/torture/load/storing.ts';
import { Torture } from '../../src/torture/torture.ts';

/** Maximum milliseconds that a full check may take. */
const PATIENCE = 60_000;

let folder: string;
let deployment: Deployment;
let torture: Torture;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postshelf-torture-test-'));
  deployment = await deployFiles(folder);
  torture = await Torture.open(deployment, folder, 1);
  const { context } = torture;
  context.isOver = false;
  for (const ask of [upload, upload, importByUrl, uploadPresigned, uploadPresigned, createPost]) await ask(context);
  await torture.checker.everything(PATIENCE);
  await deleteItem(context);
  context.isOver = true;
  await torture.checker.everything(PATIENCE);
});

afterAll(async () => {
  await torture.close();
  await rm(folder, { recursive: true });
});

/** Returns an active item and the path of its file. */
function anItem() {
  const record = [...torture.context.ledger.media.values()].find(({ source }) => source === 'upload');
  if (!record?.id || !record.fullName) throw new Error('Nothing was uploaded.');
  return { id: record.id, path: join(folder, 'data/media', record.fullName) };
}

/** Runs the work while the service is stopped, which the storage check requires. */
async function withoutService(work: () => unknown): Promise<void> {
  await torture.kill();
  try {
    await work();
  } finally {
    await torture.start();
  }
}

test('an unchanged library is accepted', async () => {
  await torture.checkAll();
});

test('a lost object is detected over HTTP and in the storage', async () => {
  const { path } = anItem();
  const bytes = await readFile(path);
  await rm(path);
  expect(await outcomeOf(torture.checker.everything(PATIENCE))).toThrow('An active item has no file.');
  await withoutService(async () =>
    expect(await outcomeOf(torture.checker.storage())).toThrow('A row names an object that is not there.'),
  );
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  await torture.checker.everything(PATIENCE);
});

test('a changed byte is detected over HTTP and in the storage', async () => {
  const { path } = anItem();
  const bytes = await readFile(path);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  await writeFile(path, changed);
  expect(await outcomeOf(torture.checker.everything(PATIENCE))).toThrow(
    'The bytes of an item are not those that were sent.',
  );
  await withoutService(async () =>
    expect(await outcomeOf(torture.checker.storage())).toThrow('The bytes of an object are not those that were sent.'),
  );
  await writeFile(path, bytes);
});

test('a lost object of a trashed item is detected if the service’s own check has not reported it', async () => {
  const [row] = (await readRows(deployment)).trashed;
  if (!row) throw new Error('Nothing was deleted.');
  const path = join(folder, 'data/media', row.fullName);
  const bytes = await readFile(path);
  await rm(path);
  expect(await outcomeOf(torture.checker.everything(PATIENCE))).toThrow('The check of objects says what isn’t so.');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  await torture.checker.everything(PATIENCE);
});

test('a row left by a removed workspace is detected even in a table that no other check reads', async () => {
  const id = crypto.randomUUID();
  await deployment.change(`insert into removals values ('${id}', 1, 1, '{}')`);
  await torture.checker.everything(PATIENCE);
  await deployment.change(`insert into post_counts values ('${id}', '${id}', 1)`);
  expect(await outcomeOf(torture.checker.everything(PATIENCE))).toThrow(
    'Rows are left of a workspace that was removed.',
  );
  await deployment.change(`delete from post_counts where workspace_id = '${id}'`);
});

// The service is stopped, because one that has just started would collect garbage during the check.
describe('while no service runs', () => {
  beforeAll(() => torture.kill());
  afterAll(() => torture.start());

  test('an object without a row and an empty folder are detected', async () => {
    const { ledger } = torture.context;
    const stray = join(folder, 'data/media', crypto.randomUUID(), crypto.randomUUID(), 'stray.jpg');
    await mkdir(dirname(stray), { recursive: true });
    await writeFile(stray, 'stray');
    const [rows, stored] = [await readRows(deployment), await deployment.readAll()];
    expect(() => compareStored(ledger, rows, stored)).toThrow('Objects are left that no row names.');
    await rm(stray);
    const empty = await deployment.readAll();
    expect(() => compareStored(ledger, rows, empty)).toThrow('Something is left that is no object.');
    await rm(dirname(dirname(stray)), { recursive: true });
  });

  test('missing previews and missing preview rows are detected', async () => {
    const rows = await readRows(deployment);
    const { previews } = await deployment.readAll();
    comparePreviews(rows, previews);
    expect(() => comparePreviews(rows, previews.slice(1))).toThrow('Previews that were made are not there.');
    expect(() => comparePreviews({ ...rows, previews: new Map() }, previews)).toThrow('An image has no previews.');
  });

  test('an object in the trash is accepted if it has no row, and is a violation if it has one', async () => {
    const { ledger } = torture.context;
    const { path } = anItem();
    const trash = join(folder, `data/media/.trash/${Date.now()}`);
    const stray = join(trash, crypto.randomUUID(), crypto.randomUUID(), 'stray.jpg');
    await mkdir(dirname(stray), { recursive: true });
    await writeFile(stray, 'stray');
    const rows = await readRows(deployment);
    compareStored(ledger, rows, await deployment.readAll());
    const copy = join(trash, relative(join(folder, 'data/media'), path));
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, await readFile(path));
    const stored = await deployment.readAll();
    expect(() => compareStored(ledger, rows, stored)).toThrow('An object that a row names lies in the trash.');
    await rm(join(folder, 'data/media/.trash'), { recursive: true });
  });
});
