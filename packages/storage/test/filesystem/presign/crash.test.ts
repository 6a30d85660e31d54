import { describe, expect } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@postshelf/testing/contracts/samples';
import { HOUR, KEY, openFileStorage, readText, sha256 } from '../../support/objects.ts';
import { startProcess } from '../../support/processes.ts';
import { testInScratch } from '../../support/scratch.ts';
import { outlast, stagedFiles, stagingEntries } from '../../support/staging.ts';
import { keptNames, openUploads, receiveText, takeText, uploadFolder } from '../../support/uploads.ts';

describe('a process that is killed', () => {
  testInScratch('while it receives leaves the earlier file, and the staged one is discarded', async (root) => {
    const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
    const ids = [newId(), await receiveText(uploads, 'before')];
    const others = await Promise.all(ids.map((id) => startProcess('receive-endless', root, id)));
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    expect(await stagedFiles(root)).toHaveLength(2);
    for (const other of others) await other.kill();
    await outlast(root);
    expect(await Promise.all(ids.map((id) => takeText(uploads, id)))).toEqual([null, 'before']);
    expect(await storage.discardAbandoned(0)).toBe(2);
    expect(await Array.fromAsync(uploads.list())).toMatchObject([{ id: ids[1] }]);
    expect(await stagingEntries(root)).not.toContain(ids[0]);
  });

  testInScratch('after it took a file leaves the file, and its second name is discarded', async (root) => {
    const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
    const id = await receiveText(uploads, 'acknowledged');
    const other = await startProcess('take-and-wait', root, id);
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    expect(await stagedFiles(root)).toHaveLength(1);
    await other.kill();
    await outlast(root);
    expect(await storage.discardAbandoned(0)).toBe(0);
    expect(await stagedFiles(root)).toEqual([]);
    expect(await takeText(uploads, id)).toBe('acknowledged');
  });

  testInScratch('after it published a file leaves an object that can be removed and published again', async (root) => {
    const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
    const id = await receiveText(uploads, 'acknowledged');
    await (await startProcess('take-and-wait', root, id, KEY)).kill();
    expect(await readText(storage, KEY)).toBe('acknowledged');
    await storage.purge(KEY);
    const again = await uploads.take(id);
    await again?.publish(KEY);
    await again?.discard();
    await outlast(root);
    await storage.discardAbandoned(0);
    await uploads.purge(id);
    expect(await readText(storage, KEY)).toBe('acknowledged');
    expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: true }]);
  });
});

testInScratch('of several files left for an id, the last in order counts until the next arrives', async (root) => {
  const uploads = await openUploads(root);
  const id = await receiveText(uploads, 'first');
  for (const [order, text] of [[9, 'ninth'] as const, [10, 'tenth'] as const]) {
    await writeFile(join(uploadFolder(root, id), `${order}.${sha256(text)}`), text);
  }
  expect(await takeText(uploads, id)).toBe('tenth');
  await receiveText(uploads, 'last', id);
  expect(await keptNames(root, id)).toEqual([expect.stringMatching(/^11\./)]);
  expect(await takeText(uploads, id)).toBe('last');
});
