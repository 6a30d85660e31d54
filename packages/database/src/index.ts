export type { Database } from './database.ts';
export { openSqlite, type SqliteOptions } from './sqlite/open.ts';
export { UnusableDatabase } from './unusable.ts';
