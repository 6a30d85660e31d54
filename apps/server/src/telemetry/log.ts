import pino, { type Logger } from 'pino';
import type { Config } from '../config.ts';
import { inBatches } from './in-batches.ts';
import { redact } from './redact.ts';
import { jsonRequestLog, type RequestLog, requestLog } from './request-log.ts';

export type { Logger } from 'pino';

export interface Log {
  readonly log: Logger;
  readonly logRequest: RequestLog;
}

/**
 * The log, on standard output: one JSON object a line, or lines for people. Nobody gives it tokens or queries
 * knowingly; errors of libraries may, so every line is cleaned on its way out.
 */
export async function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Log> {
  const options = { level: config.logLevel, base: null };
  if (config.logFormat === 'json') {
    const output = pino.destination({ dest: 1, sync: true });
    const lines = inBatches((batch) => output.write(redact(batch)));
    const log = pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, lines);
    return { log, logRequest: jsonRequestLog(log, lines) };
  }
  // Loaded where it is used: a service that logs JSON shouldn't carry it.
  const { default: pretty } = await import('pino-pretty');
  const output = pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', sync: true });
  const log = pino({ ...options, hooks: { streamWrite: redact } }, output);
  return { log, logRequest: requestLog(log) };
}
