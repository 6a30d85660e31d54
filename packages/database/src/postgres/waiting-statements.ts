import type { PostgresQueryResult } from 'kysely';
import type { Statement } from './statement-group.ts';

type Answer = PostgresQueryResult<unknown>;

/** The statements that Kysely's driver sends around a transaction. */
const BEGIN = /^(?:begin|start transaction)/;

const nothing = (command: 'BEGIN' | 'COMMIT' | 'ROLLBACK' | 'INSERT'): Promise<Answer> =>
  Promise.resolve({ command, rowCount: 0, rows: [] } as unknown as Answer);

/**
 * Statements of a transaction that are held back to be sent with the next one: its `begin`, and those whose answers
 * nobody needs. That saves a way to the server and back; the last ones are sent with the commit.
 */
export class WaitingStatements {
  readonly #send: (statements: readonly Statement[]) => Promise<Answer>;
  #waiting: Statement[] = [];
  #isWithin = false;
  #isBegun = false;

  /** @param send sends several in one message, and gives what the last of them answered */
  constructor(send: (statements: readonly Statement[]) => Promise<Answer>) {
    this.#send = send;
  }

  /**
   * Takes the next statement of the connection.
   *
   * @param mayWait whether nobody needs its answer
   * @returns its answer; null: it has to be sent by itself
   */
  take(statement: Statement, mayWait: boolean): Promise<Answer> | null {
    const { text } = statement;
    if (BEGIN.test(text)) return this.#begin(statement);
    if (!this.#isWithin) return null;
    if (text === 'rollback') return this.#rollBack();
    if (text === 'commit') return this.#commit(statement);
    if (mayWait) {
      this.#waiting.push(statement);
      return nothing('INSERT');
    }
    return this.#flush(statement);
  }

  #begin(statement: Statement): Promise<Answer> {
    this.#isWithin = true;
    this.#isBegun = false;
    this.#waiting = [statement];
    return nothing('BEGIN');
  }

  #flush(statement: Statement): Promise<Answer> | null {
    const waiting = this.#waiting;
    this.#isBegun = true;
    if (waiting.length === 0) return null;
    this.#waiting = [];
    return this.#send([...waiting, statement]);
  }

  #commit(statement: Statement): Promise<Answer> | null {
    this.#isWithin = false;
    if (this.#isBegun || this.#waiting.length > 1) return this.#flush(statement);
    this.#waiting = [];
    return nothing('COMMIT');
  }

  /** Statements that were held back are never sent. */
  #rollBack(): Promise<Answer> | null {
    this.#isWithin = false;
    this.#waiting = [];
    return this.#isBegun ? null : nothing('ROLLBACK');
  }
}
