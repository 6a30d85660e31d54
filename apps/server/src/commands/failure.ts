import { OwnershipRefused } from '@postshelf/application';
import { BackupError, type FieldErrors, Refusal, summarise, UnreadableMark } from '@postshelf/domain';
import { type Command, CommanderError } from 'commander';
import { ConfigError, readLogFormat } from '../config/config.ts';
import { fatalLine } from '../telemetry/log/log.ts';
import { redact } from '../telemetry/log/redact.ts';
import { firstLine, wayOutOf } from '../telemetry/system-errors.ts';
import { EXIT } from './exit-codes.ts';
import { hasPrintedResult, safeJson, safeText, standardOutput } from './print.ts';
import { foreseenReason } from './reason.ts';
import { CommandError, OptionsRefused } from './run.ts';

/** Commands that write only log lines. */
const SERVICES: readonly string[] = ['serve', 'worker'];

/**
 * Makes a command and its subcommands throw an error where Commander would end the process. Usage errors point to the
 * help of the command that was called.
 *
 * @param words how the command is called, such as `postshelf media list`
 */
export function throwErrors(command: Command, json: boolean, words = command.name()): void {
  command.exitOverride().showHelpAfterError(json ? false : `(see ${words} --help)`);
  if (json) command.configureOutput({ writeErr: () => undefined });
  for (const child of command.commands) throwErrors(child, json, `${words} ${child.name()}`);
}

/**
 * Ends the process of a command that threw: with 2 for a wrong command line, 141 if the reader of a backup on standard
 * output has closed it, 1 for any other failure. The reason is printed as a line on standard error. If a service doesn't
 * start, the line has the format of the log. With `--json` the reason is `{message}` on standard output, or on standard
 * error if standard output is the backup, with `errors` by field if there are any, unless the result was already printed.
 */
export function endFailed(error: unknown, args: readonly string[], json: boolean): never {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(EXIT.done);
  const { message, stack, code, details } = read(error);
  const summary = details.errors ? { message: summarise(details.errors) } : { message };
  if (json && !hasPrintedResult()) {
    const output = writesBackupToOutput(args) ? process.stderr : standardOutput();
    output.write(`${redact(safeJson({ ...summary, ...details }))}\n`);
  } else if (!(error instanceof CommanderError)) {
    const line = SERVICES.includes(args[0] ?? '') ? fatalLine(readLogFormat(), message, stack) : null;
    process.stderr.write(line ?? `postshelf: ${safeText(redact(stack ?? message))}\n`);
  }
  // If a service's start fails halfway, its timers would otherwise keep the process alive.
  process.exit(code);
}

/** Whether standard output is a backup (`backup -`), which text must not be mixed with. */
const writesBackupToOutput = (args: readonly string[]): boolean => args[0] === 'backup' && args.includes('-');

/** Errors whose one-line message needs no stack. */
const LINES = [ConfigError, BackupError, OwnershipRefused, UnreadableMark] as const;

interface Failure {
  /** The message on one line. */
  readonly message: string;
  /** The stack of an unexpected error; null for any other error. */
  readonly stack: string | null;
  readonly code: number;
  readonly details: { readonly errors?: FieldErrors };
}

function read(error: unknown): Failure {
  const foreseen = (message: string, details = {}, code: number = EXIT.failed): Failure => ({
    message,
    stack: null,
    code,
    details,
  });
  if (error instanceof CommanderError) return foreseen(usageOf(error), {}, EXIT.usage);
  if (error instanceof OptionsRefused) return foreseen(error.message, { errors: error.errors }, EXIT.usage);
  if (error instanceof CommandError) return foreseen(error.message, error.details);
  if (error instanceof Error && LINES.some((kind) => error instanceof kind)) {
    const message = [error.message, wayOutOf(error)].filter((part) => part !== null).join('. ');
    return foreseen(message, {}, isByClosedPipe(error) ? EXIT.pipeClosed : EXIT.failed);
  }
  if (error instanceof Refusal && error.problem.code === 'invalid') {
    const { errors } = error.problem;
    return foreseen(summarise(errors), { errors }, EXIT.usage);
  }
  const reason = foreseenReason(error);
  if (reason !== null) return foreseen(reason);
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? message) : message;
  return { message: firstLine(message), stack, code: EXIT.failed, details: {} };
}

/** Whether the reader of standard output closed it while a backup was written to it. */
const isByClosedPipe = (error: Error): boolean =>
  error instanceof BackupError && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EPIPE';

/** Returns Commander's message without its `error: `; empty if Commander shows its help. */
function usageOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'No command was given; --help lists the commands.';
  return message.replace(/^error: /, '');
}
