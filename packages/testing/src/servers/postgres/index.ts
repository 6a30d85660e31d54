export { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
export { realPostgres } from './postgres.ts';
export type { RealPostgres } from './real-postgres.ts';
export { makeDatabase, runSql, type TestDatabase, withClient } from './test-database.ts';
