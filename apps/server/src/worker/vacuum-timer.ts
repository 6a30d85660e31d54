import type { Database } from '@postshelf/database';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const INTERVAL = 10_000;

/**
 * At start and every ten seconds.
 *
 * @returns null if the database's server does that itself
 */
export function startVacuumTimer(
  { vacuum }: Pick<Database, 'vacuum'>,
  { log }: Pick<Telemetry, 'log'>,
): { stop(): Promise<void> } | null {
  if (vacuum === null) return null;
  const work = async (signal: AbortSignal): Promise<void> => {
    const bytes = await vacuum(signal);
    if (bytes > 0) log.info({ bytes }, 'free space of the database was returned to the disk');
  };
  return every(INTERVAL, work, log);
}
