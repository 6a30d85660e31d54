import { expect, test } from 'bun:test';
import { openSqlite } from '../../src/index.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { PreparedSqliteDialect, SQLITE } from '../../src/sqlite/connection/dialect.ts';
import { queriesOfRequests } from '../support/requests.ts';
import { withFile } from '../support/scratch.ts';

/** Matches what is scanned, by the alias that the query gives the table; queues of jobs are read in turn (below). */
const SCAN = /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES)(\w+)\b(?! USING INDEX \w+_turns$)/gm;
/** Matches subqueries, which the plan lists by the same names: they may be scanned. */
const SUBQUERY = /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/gm;
const WITHOUT_INDEX = /^SEARCH \w+$/m;
/** Matches a search for all rows of a workspace, except for profiles and jobs: few, or only the last one is read. */
const WIDE =
  /^SEARCH \w+ USING (?:COVERING )?INDEX (?!imports_leased|fits_of_workspaces|covers_due_of_workspaces|profiles_latest)\w+ \(workspace_id=\?\)$/m;

function walks(plan: string): boolean {
  const subqueries = Array.from(plan.matchAll(SUBQUERY), ([, name]) => name);
  const scanned = Array.from(plan.matchAll(SCAN), ([, name]) => name);
  const isWide = WIDE.test(plan) && !plan.includes(' limit ');
  return isWide || WITHOUT_INDEX.test(plan) || scanned.some((name) => !subqueries.includes(name));
}

/** Queues of jobs with turns are read in order, up to the first free job: only a few before it are leased. */
const TURNS = /^SCAN \w+ USING INDEX \w+_turns$/m;
const CLAIM_IN_TURN = /^select .* order by "turn", "media_id" limit \?/;
/**
 * Matches the sort of a list, whose index has the order already. A few rows, such as a folder's ancestors or
 * workspaces, may be sorted.
 */
const SORT = /^select .*TEMP B-TREE/s;

const LIST_OF_POSTS = /^select .* from "posts" .*offset/;
const SEARCH_OF_POSTS = /^SEARCH posts USING INDEX (.*)$/m;

test('no query of a request or a worker scans a whole table or sorts a list', () =>
  withFile(async (file) => {
    const migrated = await openSqlite(file);
    await migrated.migrate();
    await migrated.close();

    // One connection that Kysely closes at the end, and one for asking for the plans.
    const dialect = new PreparedSqliteDialect(await connect(file, 0), 'begin immediate');
    const queries = await queriesOfRequests(dialect, SQLITE);
    const connection = await connect(file, 0);
    const plans = Array.from(queries, ([text, parameters]) => {
      const steps = connection.prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...parameters);
      return [text, ...steps.map((step) => step.detail)].join('\n');
    });
    expect(plans.filter((plan) => walks(plan) || SORT.test(plan))).toEqual([]);
    expect(plans.filter((plan) => TURNS.test(plan))).toEqual(plans.filter((plan) => CLAIM_IN_TURN.test(plan)));
    expect(plans.filter((plan) => LIST_OF_POSTS.test(plan)).map((plan) => SEARCH_OF_POSTS.exec(plan)?.[1])).toEqual(
      ['', ' AND published_at>?', ' AND published_at>? AND published_at<?'].flatMap((range) => [
        `posts_latest (workspace_id=?${range})`,
        `posts_of_profile (profile_id=?${range})`,
      ]),
    );
    connection.close();
  }));
