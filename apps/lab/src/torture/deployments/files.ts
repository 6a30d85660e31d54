import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { forEachConcurrently } from '@postshelf/harness';
import { sha256 } from '../support/contents.ts';
import { hold } from '../violation.ts';
import type { Deployment, Row, Stored } from './deployment.ts';

const STAGED = /^\.staging\/[^/]+$/;
const TRASHED = /^\.trash\/\d+\/(.+)$/;
const PREVIEW = /^\.previews\/[0-9a-f-]{36}\/([0-9a-f-]{36})\/\d+\.webp$/;
const PIECE = /^\.uploads\/([0-9a-f-]{36})\/[0-9a-f-]{36}\.piece$/;
const UPLOAD = /^\.uploads\/([0-9a-f-]{36})\/(\d+)\.[0-9a-f]{64}$/;

const TABLES_OF_WORKSPACES = `select tables.name from sqlite_schema as tables, pragma_table_info(tables.name) as columns
  where tables.type = 'table' and columns.name = 'workspace_id'`;

/** Deploys one process, SQLite and a folder, like `npm start`. */
export async function deployFiles(folder: string): Promise<Deployment> {
  const data = join(folder, 'data');
  // Opens the database for each use, and closes it again. While another connection is open, the service doesn't have to
  // recover the database after a kill.
  const open = (): Database => {
    const database = new Database(join(data, 'postshelf.db'));
    database.run('pragma busy_timeout = 60000');
    return database;
  };
  const read = async (statements: readonly string[]): Promise<readonly (readonly Row[])[]> => {
    using database = open();
    return database.transaction(() => statements.map((sql) => database.query<Row, []>(sql).all()))();
  };
  return {
    name: 'files',
    about: 'SQLite and files, one process',
    settings: { DATA_DIR: data },
    processes: [['serve']],
    read,
    async tablesOfWorkspaces() {
      const [tables = []] = await read([TABLES_OF_WORKSPACES]);
      return tables.map(({ name }) => String(name));
    },
    async change(statement) {
      using database = open();
      database.run(statement);
    },
    async quiet() {
      // Makes the staging folders of killed processes look a minute old, because the service removes only those.
      const staging = join(data, 'media/.staging');
      const then = new Date(Date.now() - 61_000);
      for (const name of existsSync(staging) ? await readdir(staging) : [])
        await utimes(join(staging, name), then, then);
    },
    async checkDatabase() {
      const [integrity, strays] = await read(['pragma integrity_check', 'pragma foreign_key_check']);
      hold(integrity?.[0]?.integrity_check === 'ok', 'The database is damaged.', { integrity });
      hold(strays?.length === 0, 'Rows refer to rows that are not there.', { strays });
    },
    readAll: () => readFolder(join(data, 'media')),
    close: async () => undefined,
  };
}

async function readFolder(root: string): Promise<Stored> {
  const [objects, uploads] = [new Map<string, string>(), new Map<string, string>()];
  const [trash, previews, others]: [string[], string[], string[]] = [[], [], []];
  const pieces = new Set<string>();
  const latest = new Map<string, number>();
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  await forEachConcurrently(files, 8, async (path) => {
    const key = relative(root, path);
    const trashed = TRASHED.exec(key)?.[1];
    if (trashed !== undefined) trash.push(trashed);
    if (trashed !== undefined || key === '.library') return;
    const preview = PREVIEW.exec(key)?.[1];
    if (preview !== undefined) return void previews.push(preview);
    const piece = PIECE.exec(key)?.[1];
    if (piece !== undefined) return void pieces.add(piece);
    const hash = sha256(await Bun.file(path).bytes());
    const [, id, order] = UPLOAD.exec(key) ?? [];
    if (key === '.library') return;
    if (id === undefined) {
      if (key.startsWith('.')) others.push(key);
      else objects.set(key, hash);
    } else if (Number(order) > (latest.get(id) ?? 0)) {
      // If several files were sent to one address, the last one counts.
      latest.set(id, Number(order));
      uploads.set(id, hash);
    }
  });
  // Empty folders of deleted items must not remain, because they would accumulate. Empty folders of workspaces may
  // remain.
  const isUsed = (folder: string): boolean => files.some((file) => file.startsWith(`${folder}/`));
  // Staging folders that garbage collections created may remain. A later collection removes them.
  const isOfStaging = (folder: string): boolean => STAGED.test(relative(root, folder));
  // Folders in the trash may remain: a garbage collection may be killed after it has created one and before it has
  // moved an object into it. The folder is removed when the trash is emptied.
  const isOfTrash = (folder: string): boolean => relative(root, folder).startsWith('.trash/');
  const isOfPreviews = (folder: string): boolean => relative(root, folder).startsWith('.previews/');
  const isLeft = (path: string): boolean =>
    !isUsed(path) && !isOfStaging(path) && !isOfTrash(path) && !isOfPreviews(path);
  const empty = folders.filter((path) => relative(root, path).split('/').length > 1 && isLeft(path));
  return {
    objects,
    uploads,
    pieces,
    trash,
    previews,
    others: [...others, ...empty.map((path) => `${relative(root, path)}/`)],
  };
}
