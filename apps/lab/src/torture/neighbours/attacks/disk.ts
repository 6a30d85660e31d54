import type { AttackTarget, Finding } from './attack.ts';

const MIB = 1024 * 1024;

/** The default of `MIN_FREE_DISK_MB`. */
const RESERVE = 1024 * MIB;
/** Bytes that the service may write (the database's log, pieces of files) before it measures the free space again. */
const SLACK = 64 * MIB;

/** The size in bytes of a disk that soon reaches its reserve. */
export const SMALL_DISK = RESERVE + 256 * MIB;

/** Milliseconds between two measurements. */
const INTERVAL = 50;

/** Measures how much of the disk stays free during the work. */
export async function watchDisk(
  { freeDisk }: AttackTarget,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let min = Number.POSITIVE_INFINITY;
  const measure = async (): Promise<void> => {
    min = Math.min(min, await freeDisk());
  };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await measure();
      await Bun.sleep(INTERVAL);
    }
  })();
  const findings = await work().finally(() => {
    isOver = true;
  });
  await watching;
  const value = `${Math.floor(min / MIB)} MB at least, of a reserve of ${RESERVE / MIB} MB`;
  return [...findings, { what: 'disk left free', value, isKept: min >= RESERVE - SLACK }];
}
