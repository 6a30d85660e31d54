const MIB = 1024 * 1024;

/**
 * Bytes of chunks after which garbage is collected. A download leaves some four times its bytes behind in Bun's HTTP
 * client, a request's body no more than itself.
 */
export const MAX_DEBT = { uploads: 16 * MIB, imports: 6 * MIB } as const;

/**
 * Counts the chunks of bodies, which soon are garbage. JavaScriptCore sees small objects with large memory outside its
 * heap and takes its time, in which six uploads at once pile up some 30 MB, ten imports 100 MB. A collection costs about
 * 6 ms and keeps the process below 150 MB.
 *
 * @param max bytes between two collections
 * @returns what to call with the length of each chunk, in bytes
 */
export function bufferDebt(max: number): (bytes: number) => void {
  let debt = 0;
  return (bytes) => {
    debt += bytes;
    if (debt < max) return;
    debt = 0;
    Bun.gc(true);
  };
}
