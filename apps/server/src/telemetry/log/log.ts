import { isatty } from 'node:tty';
import pino, { type Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { Output } from './output.ts';
import { prettyLine } from './pretty.ts';
import { redact } from './redact.ts';
import { jsonRequestLog, type RequestLog, requestLog } from './request-log.ts';

export type { Logger } from 'pino';

export interface Log {
  readonly log: Logger;
  readonly logRequest: RequestLog;
  print(text: string): void;
  readonly droppedLines: () => number;
}

/**
 * Serialises an error as pino does, but without its method `toJSON`, which Bun's errors for missing files have.
 * `JSON.stringify` would call it, and the log line would lack the error's message.
 */
export function showError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { toJSON: _, ...shown } = { ...pino.stdSerializers.err(error) };
  return shown;
}

const FORM = { base: null, serializers: { err: showError } };

/** pino's options for JSON lines. */
const LINES = {
  ...FORM,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level: string) => ({ level }) },
};

/**
 * Creates the log on standard output. Its lines are JSON, JSON prefixed with a priority for systemd's journal, or text
 * for people. Every line is redacted, because errors of libraries may contain tokens.
 */
export function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const output = new Output(1);
  const { log, logRequest } = openLog(config, output);
  output.onMissing = (dropped) => log.warn({ dropped }, 'log lines were dropped, as they were not read in time');
  return {
    log,
    logRequest,
    print: (text) => output.write(text),
    droppedLines: () => output.dropped,
  };
}

function openLog({ logLevel: level, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>, output: Output) {
  if (logFormat === 'pretty') {
    const hasColours = isatty(1);
    const log = pino({ level, ...FORM }, { write: (line) => output.write(prettyLine(redact(line), hasColours)) });
    return { log, logRequest: requestLog(log) };
  }
  const withForm = logFormat === 'journald' ? withPriority : (line: string) => line;
  const lines = { write: (line: string) => output.write(redact(withForm(line))) };
  const log = pino({ level, ...LINES }, lines);
  return { log, logRequest: jsonRequestLog(log, lines) };
}

/**
 * Returns the line that says why the program doesn't start; null in the format for people.
 *
 * @param message the reason in one line
 * @param stack the stack of an unexpected error, otherwise null
 */
export function fatalLine(format: Config['logFormat'], message: string, stack: string | null): string | null {
  if (format === 'pretty') return null;
  const time = new Date().toISOString();
  const line = `${JSON.stringify({ level: 'fatal', time, ...(stack !== null && { stack }), msg: message })}\n`;
  return redact(format === 'journald' ? withPriority(line) : line);
}

/** The priority of each level, which is one of the eight priorities of syslog (RFC 5424 section 6.2.1). */
const PRIORITIES: Readonly<Record<string, number>> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3, fatal: 2 };

const HEAD = '{"level":"';

/** Prefixes a line with its priority, by which `journalctl -p` filters (sd-daemon(3)). */
export function withPriority(line: string): string {
  const level = line.startsWith(HEAD) ? line.slice(HEAD.length, line.indexOf('"', HEAD.length)) : 'info';
  return `<${PRIORITIES[level] ?? PRIORITIES.info}>${line}`;
}
