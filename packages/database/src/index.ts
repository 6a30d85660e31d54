export { restoreSqlite } from './backup/restore.ts';
export type { RowProblem } from './copy/compare-tables.ts';
export { type CopyProgress, type CopyReport, copyDatabase, type TableCopy } from './copy/copy-database.ts';
export { openSqlite, type SqliteOptions } from './open-sqlite.ts';
export { isLibraryAt } from './sqlite/is-library-at.ts';
export type { Database, PoolFigures } from './store/database.ts';
export { UnusableDatabase } from './store/errors.ts';
