import { edenGC } from 'bun:jsc';

const MIB = 1024 * 1024;

/** Number of concurrent uploads up to which more garbage may accumulate. */
const FEW = 2;

/**
 * Bytes of chunks after which garbage is collected. A request's body leaves only its own bytes as garbage, so with few
 * uploads more of it is allowed. A download by URL without a length leaves some four times its bytes in Bun's HTTP
 * client; others release their memory themselves. A scan of PostgreSQL reports the garbage of its rows.
 */
export const MAX_UNCOLLECTED = {
  uploads: (running: number): number => (running > FEW ? 12 : 32) * MIB,
  imports: (): number => 6 * MIB,
  scans: (): number => 16 * MIB,
} as const;

/**
 * Counts the bytes of chunks, which soon are garbage, and triggers collections. JavaScriptCore doesn't count the memory
 * outside its heap that small objects hold, and collects late: six concurrent uploads accumulate some 30 MB, ten
 * imports 100 MB. A collection takes 6 to 15 ms and keeps the process at some 150 MB.
 *
 * @param max bytes between two collections, read each time
 * @returns a function to call with the length of each chunk, in bytes
 */
export const collectBuffers = (max: () => number): ((bytes: number) => void) => onceFor(max, () => Bun.gc(true));

/**
 * Bytes of bodies between two collections of the objects that they were parsed into: some thousand lines of posts
 * become 15 MB of objects.
 */
const MAX_PARSED = 256 * 1024;

/**
 * Counts the bytes of bodies that are parsed into small objects, and triggers collections of young objects.
 * JavaScriptCore itself waits until they take up 35 MB, and doesn't return the memory for long. Older objects aren't
 * examined, so a collection takes 1 to 2 ms on an idle machine.
 *
 * @param collect performs a collection
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
