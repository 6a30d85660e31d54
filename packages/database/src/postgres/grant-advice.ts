import { escapeIdentifier } from 'pg';
import type { Advice } from './errors.ts';

/** The role and schema in the statements that an operator should run. */
export interface Grantee {
  readonly role: string;
  readonly schema: string;
}

const PLAIN = /^[a-z_][a-z0-9_]*$/;

export const nameInSql = (name: string): string => (PLAIN.test(name) ? name : escapeIdentifier(name));

export const grantOfTables = ({ role, schema }: Grantee): string =>
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${nameInSql(schema)} TO ${nameInSql(role)}`;

/**
 * Returns the statement that grants the rights to create tables; in `public` only the owner has them since PostgreSQL
 * 15.
 */
export const grantOfSchema = ({ role, schema }: Grantee): string =>
  `GRANT CREATE, USAGE ON SCHEMA ${nameInSql(schema)} TO ${nameInSql(role)}`;

/** @param of returns the role and the schema; called when advice is needed */
export const adviceFor =
  (of: () => Grantee): Advice =>
  (code, message) => {
    if (code === '42501') return `; ${helpWithRights(of(), message)}`;
    if (code === '25006') return '; DATABASE_URL must point to the primary server';
    if (code === '42P01' || code === '3F000') return `; has the search_path of the role ${of().role} changed?`;
    return '';
  };

function helpWithRights(grantee: Grantee, message: string): string {
  if (message.includes('must be owner')) {
    return 'run `postshelf migrate` once with a DATABASE_URL of the role that owns the tables';
  }
  const isOfSchema = message.includes('for schema');
  return `run as its owner: ${isOfSchema ? grantOfSchema(grantee) : grantOfTables(grantee)}`;
}
