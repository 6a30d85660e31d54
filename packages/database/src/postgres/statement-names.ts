import { createHash } from 'node:crypto';

/** Maximum number of statements that a connection keeps prepared; others are planned each time. */
const MAX_STATEMENTS = 256;

/** Maximum number of parameters; more mean a list of values, and a different text for each length. */
const MAX_PARAMETERS = 32;

/**
 * Names under which statements are prepared once per connection, as planning costs more than a small read. PostgreSQL
 * keeps them until the connection ends, so only the first {@link MAX_STATEMENTS} get one.
 *
 * A name is a hash of the text, the same in every process: if a pooler exchanges connections, the server never runs a
 * different statement under it.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number = MAX_STATEMENTS) {
    this.#limit = limit;
  }

  /** Returns the name of a statement; null if it isn't kept prepared. */
  of(text: string, parameters: number): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (parameters === 0 || parameters > MAX_PARAMETERS || this.#names.size >= this.#limit) return null;
    // A name may have at most 63 bytes.
    const name = `postshelf_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}
