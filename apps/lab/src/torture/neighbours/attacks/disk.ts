import type { Finding, Target } from './attack.ts';

const MIB = 1024 * 1024;

/** `MIN_FREE_DISK_MB` unless it is set: so much of a disk stays free. */
const RESERVE = 1024 * MIB;
/** What may be written before the service looks again: a log of the database, pieces of files. */
const SLACK = 64 * MIB;

/** A disk on which little may be written until only the reserve is left. */
export const SMALL_DISK = RESERVE + 256 * MIB;

/** Milliseconds between two looks. */
const INTERVAL = 50;

/** Watches how much of the disk stays free while something is done. */
export async function watchDisk(
  { freeDisk }: Target,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let least = Number.POSITIVE_INFINITY;
  const look = async (): Promise<void> => {
    least = Math.min(least, await freeDisk());
  };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await look();
      await Bun.sleep(INTERVAL);
    }
  })();
  const findings = await work().finally(() => {
    isOver = true;
  });
  await watching;
  const value = `${Math.floor(least / MIB)} MB at least, of a reserve of ${RESERVE / MIB} MB`;
  return [...findings, { what: 'disk left free', value, isKept: least >= RESERVE - SLACK }];
}
