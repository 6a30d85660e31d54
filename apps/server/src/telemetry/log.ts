import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config.ts';

export type { Logger } from 'pino';

/** The log, on standard output: one JSON object a line, or lines for people. Tokens and queries are never given to it. */
export function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const options = { level: config.logLevel, base: null };
  if (config.logFormat === 'json') return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime });
  return pino(options, pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', sync: true }));
}
