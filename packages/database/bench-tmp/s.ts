import { mkdtemp, rm } from 'node:fs/promises';
import { openSqlite } from '../src/index.ts';
import { addWorkspace, NOW } from '@postshelf/testing/contracts/samples';
import { addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { SQLITE_OUTBOX as O } from '../src/events/sqlite/outbox.ts';
const dir = await mkdtemp('/tmp/ev-bench-');
const db = await openSqlite(dir + '/x.db'); await db.migrate();
const w = await addWorkspace(db as never); const p = await addProfile(db as never, w.id);
const T: Record<string, number> = {};
for (const k of ['look','tell'] as const) { const f = O[k] as any; (O as any)[k] = async (...a: any[]) => { const t = performance.now(); const r = await f(...a); T[k] = (T[k] ?? 0) + performance.now() - t; return r; }; }
const blocks = Array.from({ length: 22 }, () => Array.from({ length: 500 }, () => sampleDetails(p)));
for (const b of blocks.slice(0, 2)) await db.posts.upsert(b, NOW);
for (const k in T) T[k] = 0;
const t = performance.now();
for (const b of blocks.slice(2)) await db.posts.upsert(b, NOW);
console.log('total', (performance.now() - t) / 20, Object.fromEntries(Object.entries(T).map(([k, v]) => [k, v / 20])));
await db.close(); await rm(dir, { recursive: true });
