import { expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { type Kysely, sql } from 'kysely';
import { openSqlite } from '../../src/index.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { PreparedSqliteDialect, SQLITE } from '../../src/sqlite/connection/dialect.ts';
import type { Tables } from '../../src/store/tables.ts';
import { queriesOfRequests } from '../support/requests.ts';
import { withFile } from '../support/scratch.ts';

/**
 * Matches the name of a scanned table, which is its alias in the query. Doesn't match look-ups in the search index, nor
 * scans of the transaction's own changes or of a list of ids.
 */
const SCAN =
  /^SCAN (?!(?:\d+ )?CONSTANT ROW|\d+-ROW VALUES|changes LEFT-JOIN|(?:emitted|json_each) VIRTUAL|sqlite_sequence)(\w+)\b(?! VIRTUAL TABLE INDEX \d+:M)/gm;
/** Matches the names of subqueries, which the plan lists like tables. Subqueries may be scanned. */
const SUBQUERY = /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/gm;
const WITHOUT_INDEX = /^SEARCH \w+$/m;
/** Matches the last statements of the removal of a workspace, and queries that read the few rows about tokens. */
const ONCE = /^delete from "(?:workspaces|media_counts)"|"(?:token_workspaces|people)" where "workspace_id"/;

function walks(plan: string): boolean {
  const subqueries = Array.from(plan.matchAll(SUBQUERY), ([, name]) => name);
  const scanned = Array.from(plan.matchAll(SCAN), ([, name]) => name);
  return WITHOUT_INDEX.test(plan) || scanned.some((name) => !subqueries.includes(name));
}

/**
 * Matches a search for all rows of a workspace, or for a range of them, by an index. Doesn't match a search for the
 * single row of the workspace's usage.
 */
const WIDE =
  /^SEARCH (?!\w+_usage )\w+ USING (?:COVERING )?(?:INDEX (\w+)|PRIMARY KEY) \(workspace_id=\?(?: AND \w+[<>]\?)*\)$/gm;
/** Indexes that have the order of a list. A query may read a single page from such an index. */
const ORDERS = [
  'folders_latest',
  'media_newest',
  'trashed_media_latest',
  'posts_latest',
  'profiles_latest',
  'events_of_workspace',
];
/** Indexes that find few rows, or from which only the last row is read. */
const FEW = [
  'media_films',
  'calendars_latest',
  'archives_of_workspaces',
  'webhooks_latest',
  'sqlite_autoindex_removals_1',
  'folders_system',
];
/** Matches a query that counts rows until there are too many. */
const CUT_SUM = /^select count\(\*\) as "rows".* limit \?\) as /s;

const isWide = (plan: string): boolean =>
  !CUT_SUM.test(plan) &&
  Array.from(plan.matchAll(WIDE), ([, index = '']) => index).some(
    (index) => !FEW.includes(index) && !(ORDERS.includes(index) && / limit \?/.test(plan)),
  );

/**
 * The first matches queries that look up a tag, a hash or an item. The second matches plans that scan an index in list
 * order.
 */
const LOOKED_UP = /"tag_key" = |"sha256" = |"post_media" where "media_id" = /;
const ALONG_A_LIST = /(?:_latest|media_newest|_in_folder|posts_of_profile)\w* \(/;

/**
 * Matches plans that sort a list although an index has its order. Queries that sort only a few rows don't match, such
 * as those for a folder's ancestors, workspaces, a person's sessions or rare items.
 */
const SORT = /^select (?!.* indexed by media_(?:films|unfinished)|.*"session_people").*TEMP B-TREE/s;

const LIST_OF_POSTS = /^select .* from "posts" where (?!"id" in).*offset/;
const SEARCH_OF_POSTS = /^SEARCH posts USING INDEX (.*)$/m;

const FIRST_NUMBER = 2 ** 32;

/** Marks all items as indexed for search without adding them to the index, so searches find none of them. */
async function numberItems(queries: Kysely<Tables>, workspaceId: Uuid): Promise<void> {
  const numbered = sql`update media set search_number = ${FIRST_NUMBER} + rowid where workspace_id = ${workspaceId}`;
  await numbered.execute(queries);
  await sql`insert into media_search_scopes values (1, ${workspaceId}, ${2 * FIRST_NUMBER - 1})`.execute(queries);
}

test('no query of a request or a worker scans a whole table or sorts a list', () =>
  withFile(async (file) => {
    const migrated = await openSqlite(file);
    await migrated.migrate();
    await migrated.close();

    // Kysely closes one of the connections at the end; the other is used to request plans.
    const dialect = new PreparedSqliteDialect(await connect(file, 0), 'begin immediate');
    const queries = await queriesOfRequests(dialect, SQLITE, numberItems);
    const connection = await connect(file, 0);
    const explained = Array.from(queries, ([text, { parameters, isOnMainThread }]) => {
      const steps = connection.prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...parameters);
      return { plan: [text, ...steps.map((step) => step.detail)].join('\n'), isOnMainThread };
    }).filter(({ plan }) => !ONCE.test(plan));
    const plans = explained.map(({ plan }) => plan);
    expect(plans.filter(walks)).toEqual([]);
    const small = explained.filter(({ isOnMainThread }) => isOnMainThread).map(({ plan }) => plan);
    expect(small.filter((plan) => isWide(plan) || SORT.test(plan))).toEqual([]);
    const lookedUp = plans.filter((plan) => LOOKED_UP.test(plan));
    expect(lookedUp.length).toBeGreaterThan(10);
    expect(lookedUp.filter((plan) => ALONG_A_LIST.test(plan))).toEqual([]);
    expect(plans.filter((plan) => plan.includes(' cross join media ')).length).toBeGreaterThan(5);
    expect(plans.filter((plan) => LIST_OF_POSTS.test(plan)).map((plan) => SEARCH_OF_POSTS.exec(plan)?.[1])).toEqual(
      ['', ' AND published_at>?', ' AND published_at>? AND published_at<?'].flatMap((range) => [
        `posts_latest (workspace_id=?${range})`,
        `posts_of_profile (profile_id=?${range})`,
      ]),
    );
    // With statistics, SQLite would choose an index without the metrics columns, so the queries name the index. The
    // plans explained here don't show that choice, so the text of the queries is checked as well.
    const learned = plans.filter((plan) => /^\s*select .*\(published_at <= created_at/s.test(plan));
    expect(learned.length).toBeGreaterThan(2);
    expect(learned.filter((plan) => !/USING COVERING INDEX posts_learned/.test(plan))).toEqual([]);
    expect(learned.filter((plan) => !plan.includes('from posts indexed by posts_learned'))).toEqual([]);
    connection.close();
  }));
