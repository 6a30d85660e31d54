import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@postshelf/harness';
import { SlowClient, type SlowClientOptions } from '@postshelf/harness/slow-client';
import { bigMp4 } from '@postshelf/testing/fixtures';
import type { World } from '../../../src/fuzz/service/world.ts';

const OF_EACH_KIND = 100;
const NORMAL_REQUESTS = 100;
/** The text that a slow sender sends repeatedly, and the milliseconds between two pieces. */
const TRICKLE = { piece: 'a', pause: 250 };
/** Length in bytes of the file that clients request. It exceeds the buffers of a connection. */
const FILE_LENGTH = 30 * 1024 * 1024;
/**
 * Maximum milliseconds until all clients are disconnected. The service's longest timeout is a minute, for clients that
 * don't read.
 */
const TIMEOUT_MS = 180_000;

/** Returns the number of files and connections that a process has open. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/**
 * A hundred clients of each kind. Clients that don't read connect on opening; slow senders connect when `send` is
 * called.
 */
export class SlowClients implements Disposable {
  readonly #all: SlowClient[] = [];

  private constructor(private readonly world: World) {}

  /** Stores a large file, and opens a hundred clients that request it and read nothing. */
  static async open(world: World): Promise<SlowClients> {
    const clients = new SlowClients(world);
    const before = descriptorsOf(world.program.pid);
    const path = await storeLargeFile(world);
    await clients.#connect(`${clients.#request(`GET ${path}`)}\r\n\r\n`, { reads: false });
    await clients.until(
      'all clients that do not read are answered',
      () => descriptorsOf(world.program.pid) >= before + OF_EACH_KIND,
    );
    return clients;
  }

  /** Sends request heads, JSON bodies and uploads that never end, one byte at a time. */
  async send(): Promise<readonly SlowClient[]> {
    const folders = 'POST /v1/workspaces/{{workspace}}/media_library/folders';
    const upload = 'POST /v1/workspaces/{{workspace}}/media_contents';
    const form = 'Content-Type: multipart/form-data; boundary=b';
    const part = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a.jpg"\r\n\r\n';
    const length = 'Content-Length: 100000';
    const beginnings = [
      this.#request('GET /health', 'X-Slow: '),
      `${this.#request(folders, 'Content-Type: application/json', length)}\r\n\r\n{"name":"`,
      `${this.#request(upload, form, length)}\r\n\r\n${part}`,
    ];
    const senders: SlowClient[] = [];
    for (const beginning of beginnings) senders.push(...(await this.#connect(beginning, { trickle: TRICKLE })));
    return senders;
  }

  /** Repeatedly lists items, creates a folder and downloads a file. @throws Error unless all requests succeed */
  async useNormally(): Promise<void> {
    const { client, ids } = this.world;
    for (let nth = 0; nth < NORMAL_REQUESTS; nth += 1) {
      await client.must('GET', `/v1/workspaces/${ids.workspace}/media_contents`);
      await client.must('POST', `/v1/workspaces/${ids.workspace}/media_library/folders`, { name: `Folder ${nth}` });
      const file = await client.call('GET', ids.link ?? '');
      if (file.status !== 200 || (await file.bytes()).length === 0) throw new Error(`A file answered ${file.status}.`);
    }
  }

  until(what: string, condition: () => boolean): Promise<void> {
    return until(what, condition, TIMEOUT_MS);
  }

  async #connect(beginning: string, how: SlowClientOptions) {
    const open = () => SlowClient.open(this.world.program.port, beginning, how);
    const clients = await Promise.all(Array.from({ length: OF_EACH_KIND }, open));
    this.#all.push(...clients);
    return clients;
  }

  #request(line: string, ...headers: readonly string[]): string {
    const lines = [`${line} HTTP/1.1`, 'Host: {{host}}', 'Authorization: Bearer {{token}}', ...headers];
    return this.world.filler()(lines.join('\r\n'));
  }

  [Symbol.dispose](): void {
    for (const client of this.#all) client[Symbol.dispose]();
  }
}

/** Stores a large file. @returns the path of the link to it */
async function storeLargeFile({ client, ids }: World): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-slow-'));
  await bigMp4(join(folder, 'big.mp4'), FILE_LENGTH);
  const { data } = await client.upload(ids.workspace ?? '', await Bun.file(join(folder, 'big.mp4')).bytes());
  await rm(folder, { recursive: true });
  return new URL(data[0]?.link ?? '').pathname;
}
