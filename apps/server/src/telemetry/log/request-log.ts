import type { Logger } from 'pino';

/** The log line of an answered request. */
export interface RequestLine {
  readonly id: string;
  readonly method: string;
  /** As the client sent it, without the query. */
  readonly path: string;
  /** Parameters in braces; null if no route matched. */
  readonly route: string | null;
  readonly status: number;
  /** Milliseconds until the answer's head. */
  readonly ms: number;
  /** Bytes of its body that were read. */
  readonly bytes: number;
  /** The caller's token, by its id. */
  readonly token: string | null;
  /** The client's IP address. */
  readonly address: string | null;
  /** The item that it left `processing`, or several of them, joined by commas; absent if it left none. */
  readonly media?: string | undefined;
  /** The code of its refusal, and the fields that a 422 names, joined by commas; absent if it was not refused. */
  readonly code?: string | undefined;
  readonly field?: string | undefined;
}

export type RequestLog = (level: 'debug' | 'info', line: RequestLine) => void;

const MESSAGE = 'request';

/** Writes request lines through the logger. */
export const requestLog =
  (log: Logger): RequestLog =>
  (level, line) =>
    log[level](line, MESSAGE);

/**
 * The same lines as JSON, each serialised in one call: pino serialises property by property, which takes measurable
 * time in a small request.
 *
 * @param output receives complete lines
 */
export const jsonRequestLog =
  (log: Logger, output: { write(line: string): void }): RequestLog =>
  (level, line) => {
    if (!log.isLevelEnabled(level)) return;
    const head = { level, time: new Date().toISOString() };
    output.write(`${JSON.stringify({ ...head, ...line, msg: MESSAGE })}\n`);
  };
