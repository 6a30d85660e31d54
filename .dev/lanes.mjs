// Decides, from the cores and the load of this machine, how many test processes run concurrently.
import { readFileSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Memory in bytes that a test process needs, including the servers and browsers that it starts. */
const MEMORY = 1.5 * 1024 ** 3;

/**
 * Maximum number of processes. More processes would only wait for PostgreSQL and the bucket, which all processes share.
 */
const MAX_LANES = 8;

const LOOKS = 20;
/** Milliseconds between two samples. */
const PAUSE = 25;

/**
 * Returns the number of processes for tests. Tests wait half of the time, so there are twice as many processes as free
 * cores, but at least two: a single process would leave a core idle while its test waits.
 */
export async function countLanes() {
  const cores = availableParallelism();
  const free = Math.max(0, cores - (await busyThreads()));
  const max = Math.min(MAX_LANES, Math.floor(freemem() / MEMORY));
  return Math.max(2, Math.min(max, Math.round(free * 2)));
}

/**
 * Samples the number of running or runnable threads other than this one (proc_loadavg(5)), and returns the median; 0 if
 * the number is unknown.
 */
async function busyThreads() {
  const seen = [];
  for (let look = 0; look < LOOKS; look += 1) {
    try {
      seen.push(Number(/ (\d+)\//.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 1) - 1);
    } catch {
      return 0;
    }
    await pause(PAUSE);
  }
  return seen.sort((one, other) => one - other)[LOOKS / 2] ?? 0;
}
