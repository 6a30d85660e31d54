/** The memory that a chunk has for itself; null where it may share it with others. */
export const memoryOf = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | null =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : null;

/**
 * Gives memory back at once, which nobody uses any more: a collector sees but the small object that it hangs on, and comes
 * late. Views of it are empty from then on.
 */
export function dropMemory(memory: ArrayBuffer): void {
  memory.transfer(0);
}
