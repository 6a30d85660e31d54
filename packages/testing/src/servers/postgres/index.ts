export { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
export { type RealPostgres, realPostgres } from './postgres.ts';
export { makeDatabase, runSql, type TestDatabase, withClient } from './test-database.ts';
