import { type Connection, type CustomTypesConfig, Query, type QueryResult, type Submittable } from 'pg';

/** A statement as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The name under which it is prepared; null: it isn't kept prepared. */
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
 * Sends several statements in one round trip. After a failed statement the others aren't run: the server skips
 * everything up to the single `Sync` at the end
 * (postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). The driver's own pipelining sends a `Sync`
 * after each, so after a failed `begin` the rest would run, each statement by itself.
 */
export class StatementGroup implements Submittable {
  readonly #queries: readonly Receiver[];
  readonly #results: QueryResult[] = [];
  #current = 0;
  /** Why a statement couldn't be sent, or its result couldn't be parsed. */
  #failure: Error | null = null;
  /** Not readonly, as the driver replaces it to add its time limit. */
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

  /** The name of the statement that is being answered, by which the driver records what is prepared. */
  get name(): string | undefined {
    return this.#now?.name;
  }

  get text(): string | undefined {
    return this.#now?.text;
  }

  /** The statement that is being answered; undefined after the last, when the server may still report an error. */
  get #now(): Receiver | undefined {
    return this.#queries[this.#current];
  }

  /**
   * @returns the error of a value that can't be serialized. The connection is closed then, as earlier statements may
   *   have been sent
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
    // If a result couldn't be parsed, the last element of the results would be another statement's.
    if (this.#failure) this.callback(this.#failure);
    else this.callback(null, this.#results);
  }

  handleError(error: Error, connection: Connection & Preparing): void {
    // The server skipped these statements, so they aren't prepared.
    for (const { name } of this.#queries.slice(this.#current)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    this.callback(error);
  }
}
