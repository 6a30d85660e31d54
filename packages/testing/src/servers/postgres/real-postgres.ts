/** The process, where it is this test run's own to stop. */
export interface PostgresServer {
  /** Ends every connection at once and recovers as after a crash; resolves when it takes connections again. */
  restart(): Promise<void>;
  /** Ends every connection at once, as a crash does; resolves when it is gone. */
  stop(): Promise<void>;
  /** Starts it again and recovers; resolves when it takes connections. */
  start(): Promise<void>;
  /** Restarts it as a standby, which only reads; resolves when it takes connections. */
  demote(): Promise<void>;
  /** Makes it the primary again. */
  promote(): Promise<void>;
  /** SIGSTOP to what serves the database's connections: they are kept and nothing answers. @param isPaused SIGCONT */
  pause(database: string, isPaused: boolean): Promise<void>;
}

/** A PostgreSQL server whose user may make databases. */
export interface RealPostgres {
  readonly product: string;
  /** Address of a database of it, for making others. */
  readonly url: string;
  readonly server: PostgresServer | null;
}
