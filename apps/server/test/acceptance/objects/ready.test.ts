import { describe, expect, test } from 'bun:test';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { settingsOf } from '../support/s3.ts';
import { removeFolder, type Server, scratchFolder, startServer } from '../support/server.ts';
import { startStopwatch } from '../support/until.ts';

/** Milliseconds: the longest time that a caller waits for `/ready`, plus one second. */
const timeout = 6_000;

async function ready(server: Server): Promise<{ status: number; body: unknown; ms: number }> {
  using stopwatch = startStopwatch();
  const response = await fetch(`${server.url}/ready`, { keepalive: false } as RequestInit);
  const body: unknown = await response.json();
  return { status: response.status, body, ms: stopwatch.elapsed() };
}

const isReady = { status: 200, body: { status: 'ready' } };
const isNot = { status: 503, body: { message: 'The service is not ready.' } };

describe('/ready with media in a folder', () => {
  test('answers 503 while the folder is missing, and 200 once it is back', async () => {
    const dataDir = scratchFolder();
    const server = await startServer(dataDir);
    const [media, away] = [join(dataDir, 'media'), join(dataDir, 'away')];
    try {
      expect(await ready(server)).toMatchObject(isReady);
      renameSync(media, away);
      expect(await ready(server)).toMatchObject(isNot);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      renameSync(away, media);
      expect(await ready(server)).toMatchObject(isReady);
    } finally {
      await server.end();
      removeFolder(dataDir);
    }
  });
});

const s3 = await realS3('/ready over a store that hangs or is dead');
const gateway = s3?.gateway;

describe.skipIf(!s3 || !gateway)('/ready with media in a bucket', () => {
  test('answers 503 in time while the store hangs or is dead, and 200 once it is back', async () => {
    if (!s3 || !gateway) return;
    const dataDir = scratchFolder();
    const { bucket, remove } = await makeBucket(s3);
    const server = await startServer(dataDir, settingsOf(s3, bucket));
    try {
      expect(await ready(server)).toMatchObject(isReady);
      await gateway.pause();
      try {
        // Concurrent requests share one check, and none of them waits longer than a single one would.
        const answers = await Promise.all(Array.from({ length: 20 }, () => ready(server)));
        for (const answer of answers) {
          expect(answer).toMatchObject(isNot);
          expect(answer.ms).toBeLessThan(timeout);
        }
      } finally {
        await gateway.resume();
      }
      await gateway.kill();
      const dead = await ready(server);
      expect(dead).toMatchObject(isNot);
      expect(dead.ms).toBeLessThan(timeout);
      await gateway.start();
      // A check that started before the store came back may still be running.
      let last = await ready(server);
      for (let look = 0; last.status !== 200 && look < 20; look += 1) last = await ready(server);
      expect(last).toMatchObject(isReady);
    } finally {
      await server.end();
      await remove();
      removeFolder(dataDir);
    }
  });
});
