/** The memory of a chunk; null if other chunks may share it. */
export const memoryOf = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | null =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : null;

/**
 * Frees memory at once that nobody uses any more. The garbage collector would come late, as it sees only the small
 * object that refers to the memory. Views of it are empty from then on.
 */
export function dropMemory(memory: ArrayBuffer): void {
  memory.transfer(0);
}
