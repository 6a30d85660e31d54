import { mkdtemp, rm } from 'node:fs/promises';
import { addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { openSqlite } from '../src/index.ts';
import { openPostgres } from '../src/open-postgres.ts';

const url = process.argv[2];
const runs = Number(process.argv[3] ?? 3);
const N = 3000;
for (let r = 0; r < runs; r++) {
  const dir = await mkdtemp('/tmp/ev-bench-');
  const { randomBytes } = await import('node:crypto');
  let db,
    cleanup = async () => {};
  if (url) {
    const { Client } = await import('pg');
    const name = 'b' + randomBytes(6).toString('hex');
    const c = new Client(url);
    await c.connect();
    await c.query(`create database ${name}`);
    const u = new URL(url);
    u.pathname = '/' + name;
    db = await openPostgres(u.href);
    cleanup = async () => {
      await c.query(`drop database ${name} with (force)`);
      await c.end();
    };
  } else db = await openSqlite(dir + '/x.db');
  await db.migrate();
  const w = await addWorkspace(db as never);
  const p = await addProfile(db as never, w.id);
  for (let i = 0; i < 300; i++) await db.media.insert([sampleImage(w.id)]);
  let t = performance.now();
  let cpu = process.cpuUsage();
  for (let i = 0; i < N; i++) await db.media.insert([sampleImage(w.id)]);
  const one = (performance.now() - t) / N;
  const c1 = process.cpuUsage(cpu);
  const blocks = Array.from({ length: 12 }, () => Array.from({ length: 500 }, () => sampleDetails(p)));
  for (const b of blocks.slice(0, 2)) await db.posts.upsert(b, NOW);
  t = performance.now();
  cpu = process.cpuUsage();
  for (const b of blocks.slice(2)) await db.posts.upsert(b, NOW);
  const block = (performance.now() - t) / 10;
  const c2 = process.cpuUsage(cpu);
  console.log(
    `insert ${(one * 1000).toFixed(0)} us (cpu ${((c1.user + c1.system) / N).toFixed(0)} us)  block of 500 ${block.toFixed(2)} ms (cpu ${((c2.user + c2.system) / 10000).toFixed(2)} ms)`,
  );
  await db.close();
  await cleanup();
  await rm(dir, { recursive: true });
}
