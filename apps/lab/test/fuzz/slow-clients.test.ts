import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SlowClient, type SlowClientOptions } from '@postshelf/harness/slow-client';
import { bigMp4 } from '@postshelf/testing/fixtures';
import { checkUp } from '../../src/fuzz/service/check-up.ts';
import { World } from '../../src/fuzz/service/world.ts';

/** The longest of the service's time-outs, for a client that doesn't read, is a minute. */
const TIMEOUT_MS = 180_000;
const OF_EACH_KIND = 100;
const NORMAL_REQUESTS = 100;
const FILE_LENGTH = 30 * 1024 * 1024;

let world: World;
let link: string;

beforeAll(async () => {
  world = await World.open({ UPLOAD_CONCURRENCY: '10', UPLOAD_IDLE_TIMEOUT_MS: '3000' });
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-slow-'));
  await bigMp4(join(folder, 'big.mp4'), FILE_LENGTH);
  const { data } = await world.client.upload(
    world.ids.workspace ?? '',
    await Bun.file(join(folder, 'big.mp4')).bytes(),
  );
  await rm(folder, { recursive: true });
  link = new URL(data[0]?.link ?? '').pathname;
});
afterAll(() => world[Symbol.asyncDispose]());

/** Files and connections that the service has open. */
const opened = (): number => readdirSync(`/proc/${world.program.pid}/fd`).length;

async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    await Bun.sleep(50);
  }
}

/** What a client that trickles sends now and then. */
const TRICKLE = { piece: 'a', pause: 250 };

/** As many clients of a kind as there are to be. */
const clients = (beginning: string, how: SlowClientOptions) =>
  Promise.all(Array.from({ length: OF_EACH_KIND }, () => SlowClient.open(world.program.port, beginning, how)));

const request = (line: string, ...headers: readonly string[]): string =>
  world.filler()([`${line} HTTP/1.1`, 'Host: {{host}}', 'Authorization: Bearer {{token}}', ...headers].join('\r\n'));

const beginnings = () => {
  const folders = 'POST /v1/workspaces/{{workspace}}/media_library/folders';
  const upload = 'POST /v1/workspaces/{{workspace}}/media_contents';
  const form = 'Content-Type: multipart/form-data; boundary=b';
  const part = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a.jpg"\r\n\r\n';
  return {
    heads: request('GET /health', 'X-Slow: '),
    bodies: `${request(folders, 'Content-Type: application/json', 'Content-Length: 100000')}\r\n\r\n{"name":"`,
    uploads: `${request(upload, form, 'Content-Length: 100000')}\r\n\r\n${part}`,
    readers: `${request(`GET ${link}`)}\r\n\r\n`,
  };
};

/** A read, a write and a file, one after the other. @throws Error unless all succeed */
async function useNormally(nth: number): Promise<void> {
  const { client, ids } = world;
  await client.must('GET', `/v1/workspaces/${ids.workspace}/media_contents`);
  await client.must('POST', `/v1/workspaces/${ids.workspace}/media_library/folders`, { name: `Folder ${nth}` });
  const file = await client.call('GET', ids.link ?? '');
  if (file.status !== 200 || (await file.bytes()).length === 0) throw new Error(`A file answered ${file.status}.`);
}

describe(`${4 * OF_EACH_KIND} slow clients`, () => {
  test(
    'keep nobody from working, cost little, and are hung up on',
    async () => {
      const before = opened();
      const { heads, bodies, uploads, readers } = beginnings();
      const senders = [
        ...(await clients(heads, { trickle: TRICKLE })),
        ...(await clients(bodies, { trickle: TRICKLE })),
        ...(await clients(uploads, { trickle: TRICKLE })),
      ];
      const others = await clients(readers, { reads: false });
      expect(opened()).toBeGreaterThan(before + OF_EACH_KIND);
      for (let nth = 0; nth < NORMAL_REQUESTS; nth += 1) await useNormally(nth);
      await until('all who send are answered or hung up on', () => senders.every(({ isOver }) => isOver));
      const statuses = new Set(senders.map(({ status }) => status));
      // Too slow (RFC 9110 section 15.5.9), too many uploads at once, or a head that never ended.
      expect([...statuses].filter((status) => ![408, 503, null].includes(status))).toEqual([]);
      expect(statuses).toContain(408);
      for (const sender of senders) sender[Symbol.dispose]();
      await until('all who do not read are hung up on', () => opened() <= before + 5);
      for (const other of others) other[Symbol.dispose]();
      expect(await checkUp(world)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
