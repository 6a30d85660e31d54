/** Bytes of chunks after which garbage is collected. */
const MAX_DEBT = 32 * 1024 * 1024;

let debt = 0;

/**
 * Counts a chunk of a request's or a download's body, which soon is garbage. JavaScriptCore sees small objects with large memory outside
 * its heap and takes its time, in which six uploads at once pile up some 30 MB of chunks; collecting every 32 MB costs
 * about 6 ms each and keeps the process small.
 */
export function owe(bytes: number): void {
  debt += bytes;
  if (debt < MAX_DEBT) return;
  debt = 0;
  Bun.gc(true);
}
