import { expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { makeDatabase, realPostgres } from '@postshelf/testing/servers/postgres';
import { Kysely, type Dialect as KyselyDialect } from 'kysely';
import { Client } from 'pg';
import { openSqlite } from '../../src/index.ts';
import { claimJobs } from '../../src/jobs/claim.ts';
import { dueKinds } from '../../src/jobs/job-queue.ts';
import { openPostgres } from '../../src/open-postgres.ts';
import { PooledPostgresDialect } from '../../src/postgres/dialect.ts';
import { createPool } from '../../src/postgres/pool.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { PreparedSqliteDialect } from '../../src/sqlite/connection/dialect.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import type { Tables } from '../../src/store/tables.ts';
import { withFile } from '../support/scratch.ts';

const server = await realPostgres('the plans of claims over PostgreSQL');

const JOBS = 10_000;
const WORKSPACES = 1000;
/** The time of the claims. By then, the jobs of about this many workspaces are due. */
const NOW = 50;

/** Returns an SQL expression for the nth id. @param n an SQL expression for a number less than a million */
const idOf = (n: string, padded: string): string => `'00000000-0000-7000-8000-000000' || ${padded.replace('?', n)}`;

/**
 * Returns the statements that insert jobs of two kinds. The claims ask for only one of the kinds. A tenth of the jobs
 * are leased. A few of the turns are ready, and others become ready with the first claim.
 */
const filled = (numbers: string, padded: string, asId: (text: string) => string): readonly string[] =>
  ['import', 'preview'].flatMap((kind) => [
    `insert into jobs (kind, subject_id, workspace_id, added_at, due_at, attempts, claims, lease_owner)
      select '${kind}', ${asId(idOf('n', padded))}, ${asId(idOf(`n % ${WORKSPACES}`, padded))}, n,
        n % ${WORKSPACES}, 0, 0, case when n <= ${WORKSPACES} then 'owner' end
      from ${numbers}`,
    `insert into job_turns (kind, workspace_id, due_at, is_ready, turn)
      select '${kind}', workspace_id, min(due_at), case when min(due_at) % 10 = 0 and min(due_at) <= ${NOW} then 1 else 0 end, 0
      from jobs where kind = '${kind}' group by workspace_id`,
  ]);

/** The trigger that is dropped, because it requires an item for each job. */
const TRIGGER = 'jobs_begin';

/**
 * Returns the statements that find the kinds with due jobs and that claim jobs of one kind, in both orders, with and
 * without limits, with their parameters.
 */
async function statementsOfClaims(dialect: KyselyDialect): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const statements = new Map<string, readonly unknown[]>();
  const queries = new Kysely<Tables>({
    dialect,
    log: ({ query: { sql, parameters } }) => void statements.set(sql, parameters),
  });
  expect(await dueKinds(queries, NOW)).toEqual(['import', 'preview']);
  const without = ['00000000-0000-7000-8000-000000000007' as Uuid];
  const request = { kind: 'import', now: NOW, lease: { owner: 'worker', until: 2 * JOBS } } as const;
  for (const order of ['oldest', 'newest'] as const) {
    for (const details of [
      { perWorkspace: null, without: [] },
      { perWorkspace: 3, without },
    ]) {
      const claimed = await queries
        .transaction()
        .execute((trx) => claimJobs(trx, { ...request, ...details, rules: { batch: 2, order } }));
      expect(claimed).toHaveLength(2);
    }
  }
  await queries.destroy();
  return new Map([...statements].filter(([text]) => /^(?:select|update|with)/.test(text)));
}

/** Matches plan steps that use an index to find only the requested rows, or to read rows in the requested order. */
const NARROW =
  /^SEARCH (?:jobs USING (?:COVERING )?INDEX jobs_due \(kind=\? AND workspace_id=\? AND due_at<\?\)|jobs USING COVERING INDEX jobs_due \(kind=\? AND workspace_id=\? AND due_at>\?\)|leased USING INDEX jobs_leased \(kind=\? AND workspace_id=\? AND due_at>\?\)|jobs USING PRIMARY KEY \(kind=\? AND subject_id=\?\)|job_turns USING COVERING INDEX job_turns_ready \(kind=\?\)|others USING COVERING INDEX job_turns_last \(kind=\?\)|(?:job_turns|others) USING (?:COVERING )?INDEX job_turns_due \(kind=\? AND due_at[<>]\?\)|job_turns USING PRIMARY KEY \(kind=\? AND workspace_id=\?\))$/;

test(`with SQLite, a claim reads few of ${JOBS} jobs of ${WORKSPACES} workspaces`, () =>
  withFile(async (file) => {
    const migrated = await openSqlite(file);
    await migrated.migrate();
    await migrated.close();
    const connection = new Sqlite(file);
    connection.exec(`drop trigger ${TRIGGER}`);
    const numbers = `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${JOBS}) select n from numbers)`;
    for (const statement of filled(numbers, `printf('%06d', ?)`, (id) => id)) connection.exec(statement);
    const statements = await statementsOfClaims(new PreparedSqliteDialect(await connect(file, 0), 'begin immediate'));
    // The plans are checked without statistics of the tables and with them.
    for (const prepare of ['', 'analyze']) {
      if (prepare) connection.exec(prepare);
      const found = [...statements].flatMap(([text, parameters]) =>
        connection
          .prepare<unknown[], { detail: string }>(`explain query plan ${text}`)
          .all(...parameters)
          .map(({ detail }) => detail)
          .filter(
            (detail) =>
              !/SUBQUERY|^SCALAR|^LIST|^SCAN CONSTANT ROW$|^SCAN (?:\d+ CONSTANT ROWS|due|kinds)$|MATERIALIZE|CO-ROUTINE/.test(
                detail,
              ) && !NARROW.test(detail),
          )
          .map((detail) => `${detail}: ${text}`),
      );
      expect(found).toEqual([]);
    }
    expect(statements.size).toBeGreaterThan(6);
    connection.close();
  }));

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

test.skipIf(!server)(`with PostgreSQL, a claim reads few of ${JOBS} jobs of ${WORKSPACES} workspaces`, async () => {
  if (!server) return;
  const { url, remove } = await makeDatabase(server);
  const migrated = await openPostgres(url);
  await migrated.migrate();
  await migrated.close();
  const client = new Client(url);
  await client.connect();
  await client.query(`drop trigger ${TRIGGER} on jobs`);
  const numbers = `generate_series(1, ${JOBS}) as numbers(n)`;
  for (const statement of filled(numbers, `lpad((?)::text, 6, '0')`, (id) => `(${id})::uuid`)) {
    await client.query(statement);
  }
  await client.query('analyze jobs, job_turns');
  const pool = createPool({ url, size: 2, statementTimeout: 60_000, connectTimeout: 60_000 });
  const statements = await statementsOfClaims(new PooledPostgresDialect(pool));
  const found: string[] = [];
  for (const [text, parameters] of statements) {
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...parameters]);
    for (const node of nodesOf(rows[0]['QUERY PLAN'][0].Plan)) {
      const read = node['Actual Rows'] * node['Actual Loops'];
      if (node['Node Type'] === 'Seq Scan') found.push(`scans ${node['Relation Name']}: ${text}`);
      if (read > JOBS / 5) found.push(`reads ${read} rows: ${text}`);
    }
  }
  await client.end();
  await remove();
  expect(found).toEqual([]);
  expect(statements.size).toBeGreaterThan(6);
});

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
