import type { Ports } from './ports.ts';

/** Whether the database's disk has more free space than the reserve. Otherwise, writes that can wait aren't made. */
export const hasDatabaseSpace = async ({ databaseSpace }: Pick<Ports, 'databaseSpace'>): Promise<boolean> =>
  databaseSpace === null || databaseSpace.has(0);
