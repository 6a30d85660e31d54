import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { bigMp4 } from '../support/fixtures.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { head, sendZeros } from './support/answers.ts';
import { megabyte } from './support/files.ts';
import { accepted, importUrl, leftovers, loopback, settled } from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';

setDefaultTimeout(600_000);

const size = 1024 * megabyte;
const imports = 10;
const limit = 150 * megabyte;
/** The files themselves, and some room for everybody else. */
const diskNeeded = (imports + 1) * size;

/** The most memory (bytes) that the process has ever had resident: VmHWM, proc(5). */
function peakMemory(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`No VmHWM for the process ${pid}.`);
  return Number(line[1]) * 1024;
}

describe('"Memory flat (< 150 MB peak for ten imports of 1 GB at once)"', () => {
  let world: World;
  let origin: Origin;

  beforeAll(async () => {
    const { bavail, bsize } = statfsSync(tmpdir());
    if (bavail * bsize < diskNeeded) throw new Error(`This test needs ${diskNeeded} bytes free in ${tmpdir()}.`);
    const atOnce = { IMPORT_CONCURRENCY: String(imports), IMPORT_CONCURRENCY_PER_WORKSPACE: String(imports) };
    [world, origin] = await Promise.all([World.openAlone({ ...loopback, ...onDisk, ...atOnce }), Origin.open()]);
  });

  afterAll(async () => {
    origin.close();
    await world.close();
  });

  /** A valid MP4 of 1 GB, made while it is sent; its header is at the very end. */
  const film: Answer = async ({ send, finish }) => {
    const { head: start, zeros, tail } = bigMp4(size);
    await send(head({ length: size }));
    await send(start);
    await sendZeros({ send }, zeros);
    await send(tail);
    finish();
  };

  test('all are active, the origin was asked once for each, and the links serve the whole', async () => {
    const pages = Array.from({ length: imports }, () => origin.page('film.mp4', film));
    const items = await Promise.all(pages.map(async (page) => accepted(await importUrl(world, page.url))));
    for (const item of items) {
      const done = await settled(world, item, 500_000);
      expect(done).toMatchObject({ status: 'active', size, width: 64, height: 48, time: 2, error_message: null });
      expect(done.thumbnail?.status).toBe('active');
      const response = await fetch(done.link, { method: 'HEAD' });
      expect(response.headers.get('content-length')).toBe(String(size));
    }
    expect(pages.map((page) => page.requests.length)).toEqual(pages.map(() => 1));
    expect(peakMemory(world.server.pid)).toBeLessThan(limit);
    expect(await leftovers(world)).toEqual([]);
    for (const { id } of items) expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
    expect((await world.files()).filter((path) => path.includes('/'))).toEqual([]);
  });
});
