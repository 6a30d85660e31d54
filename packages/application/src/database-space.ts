import type { Ports } from './ports.ts';

/** Whether the database's disk has more than its reserve, so that it may be written to for what could wait. */
export const hasDatabaseSpace = async ({ databaseSpace }: Pick<Ports, 'databaseSpace'>): Promise<boolean> =>
  databaseSpace === null || databaseSpace.has(0);
