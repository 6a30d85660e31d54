/** The file has none of the six supported types, or its headers can't be read. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
