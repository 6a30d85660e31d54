import { expect, test } from 'bun:test';
import { makeDatabase, realPostgres } from '@postshelf/testing/servers/postgres';
import { Client } from 'pg';
import { openPostgres } from '../../src/open-postgres.ts';
import { POSTGRES, PooledPostgresDialect } from '../../src/postgres/dialect.ts';
import { makeSearchIndex } from '../../src/postgres/keep-search-index.ts';
import { createPool } from '../../src/postgres/pool.ts';
import { queriesOfRequests } from '../support/requests.ts';

const server = await realPostgres('the plans of queries over PostgreSQL');

/**
 * Settings that are turned off, so that PostgreSQL scans, sorts, hashes or merges only where no index can be used
 * instead.
 */
const AVOIDED = ['enable_seqscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin'];

const SORTS = 'sorts';
/** Matches queries for rare items, and for a person's sessions. These are found by an index and sorted on purpose. */
const RARE = / order by coalesce\(|"session_people"/;
/** Matches the query that an operator's command runs once before a removal. */
const CONTENTS = /^select sum\("size"\) as "bytes" from "media"/;

/** One node of `explain (format json)`. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

test.skipIf(!server)('no query of a request or a worker scans a whole table or sorts a list', async () => {
  if (!server) return;
  const { url, remove } = await makeDatabase(server);
  const migrated = await openPostgres(url);
  await migrated.migrate();
  await migrated.close();

  const pool = createPool({ url, size: 2, statementTimeout: 60_000, connectTimeout: 60_000 });
  const queries = await queriesOfRequests(new PooledPostgresDialect(pool), POSTGRES, (reads) =>
    makeSearchIndex(reads, new AbortController().signal),
  );

  const client = new Client(url);
  await client.connect();
  for (const what of AVOIDED) await client.query(`set ${what} = off`);
  const found: string[] = [];
  let explained = 0;
  for (const [text, { parameters, isOnMainThread }] of queries) {
    if (!/^(?:select|insert|update|delete|with) /.test(text) || CONTENTS.test(text)) continue;
    const { rows } = await client.query(`explain (format json) ${text}`, [...parameters]);
    explained += 1;
    for (const trouble of troublesOf(rows[0]['QUERY PLAN'][0].Plan)) {
      if (trouble !== SORTS || (isOnMainThread && !RARE.test(text))) found.push(`${trouble}: ${text}`);
    }
  }
  await client.end();
  await remove();
  expect(found).toEqual([]);
  expect(explained).toBeGreaterThan(20);
});

function troublesOf(plan: Plan, isCut = false): string[] {
  const { 'Node Type': type, 'Relation Name': table } = plan;
  const below = (plan.Plans ?? []).flatMap((part) =>
    troublesOf(part, type === 'Limit' || (type === 'LockRows' && isCut)),
  );
  // A sort under a limit reads the whole list before it returns a page. Only the few workspaces of a claim may be
  // sorted.
  if (type === 'Sort' && isCut && plan.Plans?.[0]?.['Node Type'] !== 'CTE Scan') return [SORTS, ...below];
  if (type === 'Seq Scan') return [`walks over ${table}`, ...below];
  // An index scan without a condition reads all rows, unless a limit ends it.
  if (/^Index/.test(type) && plan['Index Cond'] === undefined && !isCut) return [`walks over ${table}`, ...below];
  return below;
}
