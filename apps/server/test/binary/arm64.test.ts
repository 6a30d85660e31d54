import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonCommand, type Program, type Running, startProcess } from '@postshelf/harness';
import { jpeg, mp4 } from '../acceptance/support/fixtures.ts';
import { at, stringAt } from '../acceptance/support/reply.ts';
import { freePort } from '../acceptance/support/server.ts';

/** The program for arm64, which `npm run test:arm64` builds. */
const built = process.env.POSTSHELF_TEST_ARM64;

/** An emulator of a Raspberry Pi 4's processor, and Debian's C library for arm64. */
const EMULATOR = Bun.which('qemu-aarch64-static');
const LIBRARIES = '/usr/aarch64-linux-gnu';
const PACKAGES = 'qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross';

/**
 * Milliseconds within which the service must start, and a test must end. An emulator is ten times as slow as real
 * hardware, and a busy machine makes it ten times slower still.
 */
const PATIENCE = 600_000;
describe.skipIf(built === undefined)('the program for arm64 in an emulator', () => {
  let folder: string;
  let program: Program;
  let settings: Record<string, string>;
  let service: Running;
  let token: string;
  let workspace: string;
  let before: Awaited<ReturnType<typeof readAll>>;

  const start = () =>
    startProcess([...program.command, 'serve'], {
      cwd: folder,
      env: { ...program.environment, ...settings },
      probe: `http://127.0.0.1:${settings.PORT}/health`,
      deadline: PATIENCE,
    });

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, `http://127.0.0.1:${settings.PORT}/v1/`);
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    // A connection that is kept alive would outlive the process that is killed.
    return fetch(url, { ...init, headers, keepalive: false });
  }

  async function post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await call(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const json: unknown = await answer.json();
    expect({ status: answer.status, json }).toMatchObject({ status: 201 });
    return json;
  }

  const read = async (path: string): Promise<unknown> => {
    const answer = await call(path);
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const hashOf = async (link: string): Promise<string> =>
    new Bun.CryptoHasher('sha256').update(await (await call(link)).arrayBuffer()).digest('hex');

  /** Reads everything that was stored: the items, the hashes of their files and of the cover, and the heatmap. */
  async function readAll() {
    const items = await read(`workspaces/${workspace}/media_contents?sort=name`);
    const links = [0, 1].map((index) => stringAt(items, 'data', `${index}`, 'link'));
    const video = [0, 1].find((index) => stringAt(items, 'data', `${index}`, 'name') === 'film.mp4');
    const cover = stringAt(items, 'data', `${video}`, 'thumbnail', 'link');
    const week = { workspace, from: '2026-01-01', to: '2026-01-31' };
    return {
      items,
      hashes: (await Promise.all([...links, cover].map(hashOf))).sort(),
      times: await read(`analytics/best_times?${new URLSearchParams(week)}`),
    };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postshelf-arm64-'));
    if (EMULATOR === null || !existsSync(LIBRARIES))
      throw new Error(`There is no emulator: apt-get install ${PACKAGES}`);
    program = {
      command: [EMULATOR, '-cpu', 'cortex-a72', '-L', LIBRARIES, built ?? ''],
      cwd: folder,
      environment: { PREVIEWS_AHEAD: 'false' },
    };
    const ffmpeg = Bun.which('ffmpeg');
    if (ffmpeg === null) throw new Error('There is no ffmpeg to make covers by.');
    settings = { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()), FFMPEG_PATH: ffmpeg };
    await jsonCommand(['migrate'], settings, program);
    workspace = stringAt(await jsonCommand(['workspace', 'create', '--name', 'Arm'], settings, program), 'id');
    token = stringAt(await jsonCommand(['token', 'create', '--workspace', workspace], settings, program), 'token');
    service = await start();
  });
  afterAll(async () => {
    await service?.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('stores an image, and a video with its cover', async () => {
    const form = new FormData();
    form.append('files[]', new Blob([Buffer.from(jpeg())]), 'picture.jpg');
    form.append('files[]', new Blob([Buffer.from(mp4())]), 'film.mp4');
    const answer = await call(`workspaces/${workspace}/media_contents`, { method: 'POST', body: form });
    const stored: unknown = await answer.json();
    const log = answer.status === 201 ? '' : service.log();
    expect({ status: answer.status, stored, log }).toMatchObject({
      status: 201,
      stored: {
        data: [
          { status: 'active', width: 40, height: 30, time: null },
          { status: 'active', width: 64, height: 48, time: 2, thumbnail: { width: 64, height: 48 } },
        ],
      },
    });
    const given = [jpeg(), mp4()].map((bytes) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex'));
    expect(await Promise.all(['0', '1'].map((nth) => hashOf(stringAt(stored, 'data', nth, 'link'))))).toEqual(given);
  });

  test('finds the best hour of posts', async () => {
    const made = await post(`workspaces/${workspace}/profiles`, { name: 'Arm', network: 'instagram' });
    const profile = stringAt(made, 'data', 'id');
    for (const [hour, likes] of [8, 8, 8, 9, 9, 9].map((hour, nth) => [hour, nth < 3 ? 9 : 1]))
      await post(`workspaces/${workspace}/posts`, {
        profile,
        published_at: `2026-01-05T0${hour}:30:00Z`,
        metrics: { likes },
      });
    before = await readAll();
    expect(at(before.times, 'meta', 'best')).toEqual([{ day: 'Monday', hour: 8, value: 130, posts: 3 }]);
  });

  test('decodes images for previews', async () => {
    const order = { type: 'image/jpeg', width: 40, height: 30, sizes: [{ width: 20, height: 15 }] };
    const child = Bun.spawn([...program.command, '__decode-image', JSON.stringify([order])], {
      env: {},
      stdin: Buffer.from(jpeg()),
      stdout: 'pipe',
    });
    const output = Buffer.from(await new Response(child.stdout).arrayBuffer());
    expect({ code: await child.exited, said: output.toString('latin1') }).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^postshelf previews 1\n.*RIFF.*WEBP/s),
    });
  });

  test('still has everything after kill -9', async () => {
    await service.end('SIGKILL');
    service = await start();
    expect(await readAll()).toEqual(before);
  });
});
