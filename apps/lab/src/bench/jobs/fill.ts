import { withClient } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';

/** The waiting jobs of one kind. */
export interface Waiting {
  readonly jobs: number;
  readonly workspaces: number;
  /**
   * If greater than 0, one more workspace is added, with as many jobs as all others together. This number of its jobs
   * is leased.
   */
  readonly leases: number;
}

/** A kind of job for which no item has to exist. */
export const KIND = 'preview';

/** A time that is later than any claim. */
export const FAR = Date.UTC(2100, 0);

/**
 * Returns an SQL expression for an id.
 *
 * @param padded an SQL expression for the last digits
 */
const idOf = (kind: string, padded: string): string => `'00000000-0000-7000-8000-${kind}' || ${padded}`;

/**
 * Returns the statements that fill an empty library.
 *
 * @param numbers returns an SQL row source whose column `n` counts from 1 to `max`
 * @param padded returns an SQL expression that pads a number to nine digits
 * @param cast the SQL type of ids
 */
function statementsOf(
  { jobs, workspaces, leases }: Waiting,
  numbers: (max: number) => string,
  padded: (expression: string) => string,
  cast: string,
): readonly string[] {
  const insert = 'insert into jobs (kind, subject_id, workspace_id, added_at, due_at, attempts, claims, lease_owner)';
  const id = (kind: string, expression: string) => `cast(${idOf(kind, padded(expression))} as ${cast})`;
  return [
    `${insert} select '${KIND}', ${id('001', 'n')}, ${id('000', `n % ${workspaces}`)}, n, n, 0, 0, null
      from ${numbers(jobs)}`,
    ...(leases > 0
      ? [
          `${insert} select '${KIND}', ${id('002', 'n')}, ${id('009', '0')}, n,
            case when n > ${leases} then n else ${FAR} end, 0, 0, case when n > ${leases} then null else 'another' end
            from ${numbers(jobs)}`,
        ]
      : []),
    `insert into job_turns (kind, workspace_id, due_at, is_ready, turn)
      select kind, workspace_id, min(due_at), 0, 0 from jobs group by kind, workspace_id`,
  ];
}

/**
 * Fills a SQLite library.
 *
 * @param file the file of a migrated library that no other process has open
 */
export function fillSqlite(file: string, waiting: Waiting): void {
  const database = new Database(file);
  const numbers = (max: number) =>
    `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${max}) select n from numbers)`;
  for (const statement of statementsOf(waiting, numbers, (n) => `printf('%09d', ${n})`, 'text')) {
    database.exec(statement);
  }
  database.close();
}

/** Fills a PostgreSQL library and analyses the tables, as autovacuum would. */
export const fillPostgres = (url: string, waiting: Waiting): Promise<void> =>
  withClient(url, async (client) => {
    const numbers = (max: number) => `generate_series(1, ${max}) as numbers(n)`;
    for (const statement of statementsOf(waiting, numbers, (n) => `lpad((${n})::text, 9, '0')`, 'uuid')) {
      await client.query(statement);
    }
    await client.query('vacuum analyze jobs, job_turns');
  });
