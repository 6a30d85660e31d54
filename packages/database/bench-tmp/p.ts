import { openPostgres } from '../src/open-postgres.ts';
import { addWorkspace, sampleImage, NOW } from '@postshelf/testing/contracts/samples';
import { POSTGRES_OUTBOX as O } from '../src/events/postgres/outbox.ts';
import { Client } from 'pg';
const url = process.argv[2]; const name = 'b' + crypto.randomUUID().replaceAll('-', '');
const c = new Client(url); await c.connect(); await c.query(`create database ${name}`);
const u = new URL(url!); u.pathname = '/' + name; const db = await openPostgres(u.href); await db.migrate();
const w = await addWorkspace(db as never);
const T: Record<string, number> = {};
for (const k of ['look','tell'] as const) { const f = O[k] as any; (O as any)[k] = async (...a: any[]) => { const t = performance.now(); const r = await f(...a); T[k] = (T[k] ?? 0) + performance.now() - t; return r; }; }
for (let i = 0; i < 100; i++) await db.media.insert([sampleImage(w.id)]);
for (const k in T) T[k] = 0;
const N = 1000, t = performance.now();
for (let i = 0; i < N; i++) await db.media.insert([sampleImage(w.id)]);
console.log('insert us', ((performance.now() - t) / N * 1000).toFixed(0), Object.fromEntries(Object.entries(T).map(([k, v]) => [k, (v / N * 1000).toFixed(0)])));
await db.close(); await c.query(`drop database ${name} with (force)`); await c.end();
