import { edenGC } from 'bun:jsc';

const MIB = 1024 * 1024;

/** Concurrent uploads up to which more garbage may pile up. */
const FEW = 2;

/**
 * Bytes of chunks after which garbage is collected. A request's body leaves no more than itself behind, so with few
 * uploads there is room for more of it. A download by URL that says no length leaves some four times its bytes in Bun's
 * HTTP client; any other gives its memory back itself. A scan of PostgreSQL says what its rows leave.
 */
export const MAX_UNCOLLECTED = {
  uploads: (running: number): number => (running > FEW ? 12 : 32) * MIB,
  imports: (): number => 6 * MIB,
  scans: (): number => 16 * MIB,
} as const;

/**
 * Counts the bytes of chunks, which soon are garbage, and collects it. JavaScriptCore doesn't see the large memory
 * outside its heap that small objects hold, and collects late: six uploads at once pile up some 30 MB, ten imports 100
 * MB. A collection costs 6 to 15 ms and keeps the process at some 150 MB.
 *
 * @param max bytes between two collections, read each time
 * @returns a function to call with the length of each chunk, in bytes
 */
export const collectBuffers = (max: () => number): ((bytes: number) => void) => onceFor(max, () => Bun.gc(true));

/** Bytes of bodies between two collections of what they were parsed into: some thousand lines of posts, and 15 MB of objects. */
const MAX_PARSED = 256 * 1024;

/**
 * Counts the bytes of bodies that become small objects, and collects those that were made since. JavaScriptCore itself lets them
 * pile up to 35 MB before it does, and gives nothing back for long. What has lived longer isn't looked at, so it takes 1 to 2 ms
 * where nobody else works.
 *
 * @param collect does so
 * @returns a function to call with the bytes of each line
 */
export const collectObjects = (collect: () => unknown = edenGC): ((bytes: number) => void) =>
  onceFor(() => MAX_PARSED, collect);

function onceFor(max: () => number, collect: () => unknown): (bytes: number) => void {
  let uncollected = 0;
  return (bytes) => {
    uncollected += bytes;
    if (uncollected < max()) return;
    uncollected = 0;
    collect();
  };
}
