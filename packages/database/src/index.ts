export { type Database, UnusableDatabase } from './database.ts';
export { openSqlite, type SqliteOptions } from './sqlite/open.ts';
export { restoreSqlite } from './sqlite/restore.ts';
