import type { PostgresQueryResult } from 'kysely';
import type { Statement } from './statement-group.ts';

type Answer = PostgresQueryResult<unknown>;

/** What Kysely's driver says around a transaction's statements. */
const BEGIN = /^(?:begin|start transaction)/;

const nothing = (command: 'BEGIN' | 'COMMIT' | 'ROLLBACK' | 'INSERT'): Promise<Answer> =>
  Promise.resolve({ command, rowCount: 0, rows: [] } as unknown as Answer);

/**
 * The statements of a connection's transaction that go with the next one: what begins it, and those whose answers nobody
 * needs. A transaction costs a way to the server and back less by the first, and the last ones go with the commit.
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
   * @returns its answer; null: it is to be sent by itself
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

  /** What waits is never sent. */
  #rollBack(): Promise<Answer> | null {
    this.#isWithin = false;
    this.#waiting = [];
    return this.#isBegun ? null : nothing('ROLLBACK');
  }
}
