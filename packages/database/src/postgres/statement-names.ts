import { createHash } from 'node:crypto';

/** Statements that a connection keeps prepared. Further ones, of lists with unusual filters, are planned each time. */
const MAX_STATEMENTS = 256;

/** A statement with more parameters holds a list, and has another text for each length of it. */
const MAX_PARAMETERS = 32;

/**
 * Names under which statements are prepared once per connection, as planning costs more than a small read. PostgreSQL
 * keeps each until the connection ends, so the first statements get a name and later ones none.
 *
 * A name depends on the text alone, so it is the same in every process. Where a pooler gives one process a connection on
 * which another prepared statements (PgBouncer does, when its pool mode is changed while they run), the server refuses a
 * statement instead of running another one under its name.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number = MAX_STATEMENTS) {
    this.#limit = limit;
  }

  /** null: the statement is planned each time. */
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
