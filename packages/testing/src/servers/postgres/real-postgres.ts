/** A server process that belongs to this test run and may be stopped. */
export interface PostgresServer {
  /** Ends every connection immediately and recovers as after a crash; resolves when it accepts connections again. */
  restart(): Promise<void>;
  /** Ends every connection immediately, like a crash; resolves when the server has ended. */
  stop(): Promise<void>;
  /** Starts the server again, after which it recovers; resolves when it accepts connections. */
  start(): Promise<void>;
  /** Restarts the server as a read-only standby; resolves when it accepts connections. */
  demote(): Promise<void>;
  /** Makes the server the primary again. */
  promote(): Promise<void>;
  /**
   * Sends SIGSTOP to the processes that serve the database's connections: connections stay open, but nothing answers.
   *
   * @param isPaused false to send SIGCONT instead
   */
  pause(database: string, isPaused: boolean): Promise<void>;
}

/** A PostgreSQL server whose user may create databases. */
export interface RealPostgres {
  readonly product: string;
  /** Address of one of the server's databases. Connections to it are used to create other databases. */
  readonly url: string;
  readonly server: PostgresServer | null;
}
