import { type Connection, type CustomTypesConfig, Query, type QueryResult, type Submittable } from 'pg';

/** A statement as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Under which it is prepared; null for once. */
  readonly name: string | null;
}

/** What the driver calls on a query as messages come in (its lib/client.js), and does not tell in its types. */
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

/** Statements that were sent to be prepared, by name, and are not yet known to be. */
interface Preparing {
  readonly submittedNamedStatements: Record<string, string>;
}

/**
 * Several statements that go to the server in one message and are answered in one. When one fails, those behind it are not
 * done: the server passes over everything up to the one `Sync` at the end
 * (postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). The driver's own pipelining has one behind
 * each, so that behind a `begin` that failed the rest would be done, each by itself.
 */
export class StatementGroup implements Submittable {
  readonly #queries: readonly Receiver[];
  readonly #results: QueryResult[] = [];
  #current = 0;
  /** Why a statement can't be sent, or what it answered can't be read. */
  #failure: Error | null = null;
  /** The driver puts its time limit around it. */
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

  /** Of the statement that is being answered, as the driver keeps which were prepared. */
  get name(): string | undefined {
    return this.#now?.name;
  }

  get text(): string | undefined {
    return this.#now?.text;
  }

  /** undefined once all are answered: then the server may yet say that it goes. */
  get #now(): Receiver | undefined {
    return this.#queries[this.#current];
  }

  /** @returns why a value can't be sent; then the connection is given up, as those before it are on their way */
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
    // They were passed over.
    for (const { name } of this.#queries.slice(this.#current)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    this.callback(error);
  }
}
