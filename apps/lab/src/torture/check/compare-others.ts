import { type Ledger, metricsOf } from '../ledger/ledger.ts';
import type { Register } from '../ledger/register.ts';
import { hold } from '../violation.ts';
import type { Rows } from './rows.ts';

/**
 * Compares folders and posts with the requests, as {@link compareMedia} does with media.
 *
 * @throws Violation
 */
export function compareOthers(ledger: Ledger, { folders, posts }: Rows): void {
  const folderRows = onlyKnown(folders, ({ name }) => name, ledger.folders, 'A folder');
  for (const [name, record] of [...ledger.folders]) {
    const row = folderRows.get(name);
    if (!settleExistence(record.exists, row !== undefined, 'folder', { name })) ledger.folders.delete(name);
    if (!row) continue;
    record.id = row.id;
    hold(record.parent.allows(row.parent), 'A folder is where nobody moved it.', {
      row,
      possible: record.parent.possible,
    });
    record.parent.settle(row.parent);
  }
  requireTree(new Map(folders.map(({ id, parent }) => [id, parent])));
  const postRows = onlyKnown(posts, ({ externalId }) => externalId, ledger.posts, 'A post');
  for (const [externalId, record] of [...ledger.posts]) {
    const row = postRows.get(externalId);
    if (!settleExistence(record.exists, row !== undefined, 'post', { externalId })) ledger.posts.delete(externalId);
    if (!row) continue;
    record.id = row.id;
    const metrics = metricsOf((name) => row.metrics[name]);
    hold(record.metrics.allows(metrics), 'A post has metrics that nobody gave, or not those that it was given.', {
      row,
      possible: record.metrics.possible,
    });
    record.metrics.settle(metrics);
  }
}

/** Returns the rows by key, after checking that a request asked for each of them and that no two have the same key. */
function onlyKnown<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  asked: ReadonlyMap<string, unknown>,
  what: string,
): ReadonlyMap<string, Row> {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    hold(asked.has(key), `${what} is there that nobody asked for.`, { row });
    hold(!found.has(key), `${what} is there twice.`, { row });
    found.set(key, row);
  }
  return found;
}

/**
 * Records whether a row exists, if the ledger allows that; otherwise throws.
 *
 * @returns `isThere`
 * @throws Violation
 */
function settleExistence(
  exists: Register<boolean>,
  isThere: boolean,
  what: string,
  facts: Readonly<Record<string, unknown>>,
): boolean {
  hold(exists.allows(isThere), isThere ? `A refused ${what} is there.` : `An acknowledged ${what} is lost.`, facts);
  exists.settle(isThere);
  return isThere;
}

function requireTree(parents: ReadonlyMap<string, string | null>): void {
  for (const [id] of parents) {
    let steps = 0;
    for (let above = parents.get(id); above; above = parents.get(above)) {
      steps += 1;
      hold(steps <= parents.size, 'Folders stand in a circle.', { id });
    }
  }
}
