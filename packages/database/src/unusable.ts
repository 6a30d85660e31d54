/** A database that the program can't begin to work with. The message is one line for whoever operates it. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}
