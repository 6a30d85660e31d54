import { type Connection, type CustomTypesConfig, Query, type QueryResult, type Submittable } from 'pg';

/** A statement as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Under which it is prepared; null for once. */
  readonly name: string | null;
}

/** The methods that the driver calls on a query as messages arrive (its lib/client.js); its types leave them out. */
interface Receiver {
  readonly name?: string;
  readonly text: string;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

/** Statements that are being prepared, by name. */
interface Preparing {
  readonly submittedNamedStatements: Record<string, string>;
}

/**
 * Several statements that are sent in one message and answered in one. After a failed one the rest isn't run: the
 * server skips everything up to the one `Sync` at the end
 * (postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). The driver's own pipelining sends a `Sync`
 * after each, so after a failed `begin` the rest would run, each statement by itself.
 */
export class StatementGroup implements Submittable {
  readonly #queries: readonly Receiver[];
  readonly #results: QueryResult[] = [];
  #current = 0;
  /** Why a statement can't be sent, or what it answered can't be read. */
  #failure: Error | null = null;
  /** The driver wraps it with its time limit. */
  callback: (error: Error | null | undefined, results?: readonly QueryResult[]) => void;

  constructor(
    statements: readonly Statement[],
    types: CustomTypesConfig,
    callback: (error: Error | null | undefined, results?: readonly QueryResult[]) => void,
  ) {
    this.callback = callback;
    this.#queries = statements.map(({ text, values, name }) => {
      const keep = (error: Error | null | undefined, result: unknown): void => {
        if (error) this.#failure ??= error;
        else this.#results.push(result as QueryResult);
      };
      return new Query({ text, values: [...values], types, ...(name !== null && { name }) }, keep) as never;
    });
  }

  /** The statement that is being answered; the driver records by it which are prepared. */
  get name(): string | undefined {
    return this.#now?.name;
  }

  get text(): string | undefined {
    return this.#now?.text;
  }

  /** undefined once all are answered; then the server may still close the connection. */
  get #now(): Receiver | undefined {
    return this.#queries[this.#current];
  }

  /**
   * @returns the error of a value that can't be sent; the connection is closed then, as earlier statements are on their
   *   way
   */
  submit(connection: Connection): Error | null {
    const withoutSync: Connection = Object.create(connection, { sync: { value: () => undefined } });
    connection.stream.cork();
    try {
      for (const query of this.#queries) query.prepare(withoutSync);
      if (this.#failure) connection.stream.destroy();
      else connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return this.#failure;
  }

  handleRowDescription(message: unknown): void {
    this.#now?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#now?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#now?.handleCommandComplete(message, connection);
    this.#current += 1;
  }

  handleEmptyQuery(connection: Connection): void {
    this.#now?.handleEmptyQuery(connection);
    this.#current += 1;
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    // Without the one that failed, another's answer would stand in its place.
    if (this.#failure) this.callback(this.#failure);
    else this.callback(null, this.#results);
  }

  handleError(error: Error, connection: Connection & Preparing): void {
    // The server skipped them.
    for (const { name } of this.#queries.slice(this.#current)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    this.callback(error);
  }
}
