export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
