import { copyFile } from 'node:fs/promises';
import { cpuSeconds, repeatConcurrently } from '@postshelf/harness';
import Database from 'better-sqlite3';
import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { MULTIPART, photoBody } from '../support/bodies.ts';
import { type Service, send, uploadUrl } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';

const ROUNDS = 7;
const UPLOADS = 400;
const CONCURRENCY = 8;

/** The number of items in a transaction, and the number of transactions in a round. */
const SIZES = [
  [1, 300],
  [16, 60],
] as const;

/** Maximum share of an upload's processor time that the indices and counts for lists may add. */
const MAX_ADDED_SHARE = 0.15;

/** Returns the milliseconds of processor time for uploading 100 KB to the service, with eight concurrent uploads. */
export async function measureUpload(service: Service): Promise<number> {
  const body = await photoBody();
  const headers = { ...service.headers, 'Content-Type': MULTIPART };
  const upload = () => repeatConcurrently(CONCURRENCY, UPLOADS, () => send(uploadUrl(service), headers, body));
  await upload();
  const before = await cpuSeconds(service.pid);
  await upload();
  return (((await cpuSeconds(service.pid)) - before) * 1000) / UPLOADS;
}

/**
 * Measures how much the indices and counts for lists add to an insert, by alternating between a filled library and a
 * copy without indices and counts. The processor time includes SQLite's checkpoints. In the service, a separate thread
 * runs the checkpoints.
 *
 * @param upload the result of {@link measureUpload}
 */
export async function measureWrites(file: string, workspace: string, upload: number): Promise<readonly Figure[]> {
  await copyFile(file, `${file}-bare`);
  const [ours, bare] = [new Database(file), new Database(`${file}-bare`)];
  try {
    bare.exec(withoutLists(bare));
    for (const database of [ours, bare]) database.pragma('synchronous = normal');
    const figures: Figure[] = [];
    for (const [items, transactions] of SIZES) {
      const sides = {
        ours: { cpu: [] as number[], wall: [] as number[] },
        bare: { cpu: [] as number[], wall: [] as number[] },
      };
      for (let round = -1; round < ROUNDS; round++) {
        const turns = [['ours', ours] as const, ['bare', bare] as const];
        for (const [name, database] of round % 2 === 0 ? turns : turns.toReversed()) {
          const { cpu, wall } = insertAll(database, workspace, items, transactions);
          // The first round warms up.
          if (round < 0) continue;
          sides[name].cpu.push(cpu);
          sides[name].wall.push(...wall);
        }
      }
      const what = `SQLite, ${items} in a transaction`;
      const added = sides.ours.cpu.map((cpu, round) => cpu - (sides.bare.cpu[round] ?? 0));
      figures.push(
        figure(`${what}: processor time of an item`, spreadOf(sides.ours.cpu), 'ms'),
        figure(`${what}: the same without what lists are read by`, spreadOf(sides.bare.cpu), 'ms'),
        {
          ...figure(`${what}: what those add, of an upload`, spreadOf(added.map((ms) => ms / upload)), 'ratio'),
          goal: { kind: 'at most', value: MAX_ADDED_SHARE },
        },
        ...(['ours', 'bare'] as const).map((name) => ({
          what: `${what}: ${name === 'ours' ? 'with' : 'without'}, 99th percentile`,
          value: percentile(sides[name].wall, 0.99),
          unit: 'ms',
        })),
      );
    }
    return [{ what: 'SQLite: processor time of an upload of 100 KB', value: upload, unit: 'ms' }, ...figures];
  } finally {
    ours.close();
    bare.close();
  }
}

/** Drops the indices and triggers that serve searches, dates and the order of creation. */
const withoutLists = (database: Database.Database): string =>
  database
    .prepare<[], { statement: string }>(
      `select 'drop ' || type || ' ' || name || ';' as statement from sqlite_schema
       where tbl_name = 'media' and type in ('index', 'trigger')
         and (name glob 'media_newest*' or name glob 'media_search*'
           or name in ('media_unsearched', 'media_unfinished', 'media_films'))
       order by type desc`,
    )
    .all()
    .map(({ statement }) => statement)
    .join('\n');

const COLUMNS = `id, workspace_id, folder_id, name, full_name, label, search_key, created_at, updated_at, status, type, size,
  sha256, width, height`;

/**
 * Inserts items.
 *
 * @returns the processor time per item, and the time of each transaction, in milliseconds
 */
function insertAll(database: Database.Database, workspace: string, items: number, transactions: number) {
  const insert = database.prepare(
    `insert into media (${COLUMNS}) values (?, ?, null, ?, ?, null, ?, ?, ?, 'active', 'image/jpeg', 100000, ?, 640, 480)`,
  );
  const insertSome = database.transaction(() => {
    for (let nth = 0; nth < items; nth++) {
      const [id, now] = [Bun.randomUUIDv7(), Date.now()];
      const name = `IMG_${now}.jpg`;
      insert.run(
        id,
        workspace,
        name,
        `${workspace}/${id}/${name}`,
        name.toLowerCase(),
        now,
        now,
        id.replaceAll('-', '').repeat(2),
      );
    }
  });
  const wall: number[] = [];
  const before = process.cpuUsage();
  for (let nth = 0; nth < transactions; nth++) {
    const start = performance.now();
    insertSome.immediate();
    wall.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000 / (items * transactions), wall };
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
