import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { inParallel } from '../support/run.ts';
import { settingsOf } from '../support/s3.ts';
import {
  freePort,
  jsonCommand,
  removeFolder,
  type Settings,
  scratchFolder,
  spawnServer,
  startServer,
} from '../support/server.ts';
import { until, within } from '../support/until.ts';

const s3 = await realS3('starting the service over a bucket');

describe.skipIf(!s3)('a service with a bucket', () => {
  let dataDir: string;
  let good: Settings;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    if (!s3) return;
    dataDir = scratchFolder();
    const made = await makeBucket(s3);
    remove = made.remove;
    good = { DATA_DIR: dataDir, ...settingsOf(s3, made.bucket) };
    await jsonCommand(['migrate'], good);
  });
  afterAll(async () => {
    await remove();
    removeFolder(dataDir);
  });

  test.each<readonly [string, Settings, string, RegExp]>([
    ['a missing bucket', { S3_BUCKET: 'no-such-bucket' }, 'S3_BUCKET', /no such bucket/],
    ['an unknown access key', { S3_ACCESS_KEY_ID: 'UNKNOWN' }, 'S3_ACCESS_KEY_ID', /access key is unknown/],
    ['a wrong secret key', { S3_SECRET_ACCESS_KEY: 'wrong' }, 'S3_SECRET_ACCESS_KEY', /secret key is wrong/],
  ])('fails to start with one line that names the setting for %s', async (_, spoilt, setting, reason) => {
    await inParallel(['serve', 'worker', 'gc'], async (name) => {
      const started = spawnServer({ ...good, HOST: '127.0.0.1', PORT: String(await freePort()), ...spoilt }, [name]);
      try {
        expect(await within('the end', started.exited)).not.toBe(0);
        const said = started.stderr();
        expect(said).toMatch(/^[^\n]+\n$/);
        const line = name === 'gc' ? said.replace(/^postshelf: /, '') : String(JSON.parse(said).msg);
        expect(line).toStartWith(`${setting}: `);
        expect(line).toMatch(reason);
      } finally {
        started.child.kill('SIGKILL');
        started.forget();
      }
    });
  });

  test.each([
    ['an existing library', () => dataDir],
    ['an empty data directory', scratchFolder],
  ])('starts with %s while the store is unreachable, logs this, and answers /ready with 503', async (_, folder) => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const path = folder();
    const server = await startServer(path, { ...good, DATA_DIR: path, S3_ENDPOINT: endpoint });
    try {
      await until('the log says so', async () => /out of reach/.test(server.log()));
      const response = await fetch(`${server.url}/ready`);
      expect([response.status, await response.json()]).toEqual([
        503,
        { message: 'The service is not ready.', reasons: [expect.stringContaining('ECONNREFUSED')] },
      ]);
    } finally {
      await server.end();
      if (path !== dataDir) removeFolder(path);
    }
  });
});
