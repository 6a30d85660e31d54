import { createHash } from 'node:crypto';

/** Statements that a connection keeps prepared. Those of lists with unusual filters, where it has more, are not. */
const MAX_STATEMENTS = 256;

/** A statement with more parameters has a list of them, and another text for each length of it. */
const MAX_PARAMETERS = 32;

/**
 * Names under which statements are prepared once per connection, as planning costs more than a small read. PostgreSQL
 * keeps each until the connection ends, so the first that come have them and no more are given out.
 *
 * A name is its text's and no other's, in every process: should a pooler lend one process a connection that another has
 * prepared statements on, as PgBouncer does where its pool mode is changed while they run, the server refuses and never does
 * what another statement says.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number = MAX_STATEMENTS) {
    this.#limit = limit;
  }

  /** null: to be planned each time. */
  of(text: string, parameters: number): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (parameters === 0 || parameters > MAX_PARAMETERS || this.#names.size >= this.#limit) return null;
    // Of the 63 bytes that a name may have.
    const name = `postshelf_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}
