import Database from 'better-sqlite3';
import type { MadePost } from '../support/posts.ts';

const LINES_PER_TRANSACTION = 500;

/**
 * The baseline for importing posts: each line is parsed, and its row is inserted with one prepared statement. The
 * table's three indexes, the journal mode and the number of lines per transaction are those of the service. The
 * baseline doesn't use HTTP, validate posts, aggregate them, or search for an existing post.
 */
export function openBare(file: string) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`
    create table posts (
      id text primary key, workspace_id text, profile_id text, external_id text, published_at integer, text text,
      impressions integer, likes integer, comments integer, shares integer, saves integer, clicks integer
    ) strict;
    create index posts_latest on posts (workspace_id, published_at desc, id desc);
    create index posts_of_profile on posts (profile_id, published_at desc, id desc);
    create unique index posts_external on posts (profile_id, external_id);
  `);
  const insert = database.prepare('insert into posts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const insertAll = database.transaction((lines: readonly string[]) => {
    for (const line of lines) {
      const post = JSON.parse(line) as MadePost & { readonly profile: string };
      const { impressions, likes, comments, shares, saves, clicks } = post.metrics;
      const at = Date.parse(post.published_at);
      const { profile, external_id, text } = post;
      const metrics = [impressions, likes, comments, shares, saves, clicks];
      insert.run(Bun.randomUUIDv7(), 'workspace', profile, external_id, at, text, ...metrics);
    }
  });
  return {
    insert(lines: readonly string[]): void {
      for (let start = 0; start < lines.length; start += LINES_PER_TRANSACTION)
        insertAll(lines.slice(start, start + LINES_PER_TRANSACTION));
    },
    close: () => database.close(),
  };
}
