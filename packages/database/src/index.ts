export type { RowProblem, TableTally } from './copy/compare-tables.ts';
export { type CopyProgress, type CopyReport, copyDatabase, type TableCopy } from './copy/copy-database.ts';
export { type Database, type PoolFigures, UnusableDatabase } from './database.ts';
export { isLibraryAt } from './sqlite/is-library-at.ts';
export { openSqlite, type SqliteOptions } from './sqlite/open.ts';
export { restoreSqlite } from './sqlite/restore.ts';
