import type { Ports } from './ports.ts';

/** Whether the database's disk has more than its reserve, so that writes that could wait are allowed. */
export const hasDatabaseSpace = async ({ databaseSpace }: Pick<Ports, 'databaseSpace'>): Promise<boolean> =>
  databaseSpace === null || databaseSpace.has(0);
