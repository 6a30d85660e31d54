import type { Logger } from 'pino';

export interface RequestLine {
  readonly id: string;
  readonly method: string;
  /** The path as the client sent it, without the query. */
  readonly path: string;
  /** The route, with parameters in braces; null if none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly token: string | null;
  readonly person?: string | undefined;
  readonly address: string | null;
  /** The tool that an assistant called; undefined for any other request. */
  readonly tool?: string | undefined;
  /** The items that are still `processing` after the request, joined by commas. */
  readonly media?: string | undefined;
  readonly code?: string | undefined;
  readonly field?: string | undefined;
}

export type RequestLog = (level: 'debug' | 'info', line: RequestLine) => void;

const msg = 'request';

export const requestLog =
  (log: Logger): RequestLog =>
  (level, line) =>
    log[level](line, msg);

/**
 * Writes request lines as JSON, each with one call of `JSON.stringify`. This is measurably faster than copying the
 * properties with a spread, and than pino, which serialises each property separately.
 *
 * @param output receives complete lines
 */
export const jsonRequestLog =
  (log: Logger, output: { write(line: string): void }): RequestLog =>
  (level, line) => {
    if (!log.isLevelEnabled(level)) return;
    const { id, method, path, route, status, ms, bytes, token, person, address, tool, media, code, field } = line;
    const time = new Date().toISOString();
    const all = {
      level,
      time,
      id,
      method,
      path,
      route,
      status,
      ms,
      bytes,
      token,
      person,
      address,
      tool,
      media,
      code,
      field,
      msg,
    };
    output.write(`${JSON.stringify(all)}\n`);
  };
