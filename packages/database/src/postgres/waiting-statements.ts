import type { PostgresQueryResult } from 'kysely';
import type { Statement } from './statement-group.ts';

type Answer = PostgresQueryResult<unknown>;

/** The statements that Kysely's driver sends around a transaction. */
const BEGIN = /^(?:begin|start transaction)/;

const nothing = (command: 'BEGIN' | 'COMMIT' | 'ROLLBACK' | 'INSERT'): Promise<Answer> =>
  Promise.resolve({ command, rowCount: 0, rows: [] } as unknown as Answer);

/**
 * Holds back statements of a transaction and sends them together with the next one: its `begin`, and those whose
 * results aren't needed. That saves round trips; the last ones are sent with the commit.
 */
export class WaitingStatements {
  readonly #send: (statements: readonly Statement[]) => Promise<Answer>;
  #waiting: Statement[] = [];
  #isWithin = false;
  #isBegun = false;

  /** @param send sends several statements in one round trip, and resolves with the result of the last one */
  constructor(send: (statements: readonly Statement[]) => Promise<Answer>) {
    this.#send = send;
  }

  /**
   * Handles the connection's next statement.
   *
   * @param isResultUnused true if it may be sent with a later statement
   * @returns its result, empty if it was held back; null if the caller has to send it by itself
   */
  take(statement: Statement, isResultUnused: boolean): Promise<Answer> | null {
    const { text } = statement;
    if (BEGIN.test(text)) return this.#begin(statement);
    if (!this.#isWithin) return null;
    if (text === 'rollback') return this.#rollBack();
    if (text === 'commit') return this.#commit(statement);
    if (isResultUnused) {
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
