import { OwnershipRefused } from '@postshelf/application';
import { BackupError, type Problem, Refusal, summarise, UnreadableMark } from '@postshelf/domain';
import { Command } from 'commander';
import { version } from '../package.json';
import { analyticsCommand } from './commands/analytics.ts';
import { copyCommand } from './commands/copy.ts';
import { gcCommand } from './commands/gc.ts';
import { print, withComposition } from './commands/run.ts';
import { backupCommand, restoreCommand, verifyCommand } from './commands/safekeeping.ts';
import { serve } from './commands/serve.ts';
import { storageCommand } from './commands/storage.ts';
import { tokenCommand } from './commands/token.ts';
import { work } from './commands/worker.ts';
import { workspaceCommand } from './commands/workspace.ts';
import { compose } from './compose.ts';
import { ConfigError } from './config.ts';
import { documentText } from './http/openapi.ts';
import { redact } from './telemetry/redact.ts';

const program = new Command('postshelf')
  .description('Self-hosted media library for social publishing')
  .version(version)
  .showHelpAfterError('(postshelf --help tells more)');

program
  .command('serve')
  .description('serve the API until told to stop')
  .option('--welcome', 'on an empty database, make a workspace and a token and print them')
  .option('--no-worker', 'leave imports and garbage collection to processes of their own')
  .action(serve);

program.command('worker').description('work on imports and collect garbage, without serving').action(work);

program
  .command('migrate')
  .description("bring the database's schema up to date, as every start does")
  .option('--json', 'print one JSON object')
  .action(({ json }: { json?: boolean }) =>
    withComposition(
      async ({ migrated }) => {
        const ran = migrated.map((name) => `Ran ${name}.`);
        print(json, { migrated }, [...ran, 'The database is up to date.']);
      },
      (config) => compose(config, { signs: false }),
    ),
  );

program
  .addCommand(workspaceCommand())
  .addCommand(tokenCommand())
  .addCommand(storageCommand())
  .addCommand(copyCommand())
  .addCommand(analyticsCommand())
  .addCommand(gcCommand());

program.addCommand(backupCommand()).addCommand(restoreCommand()).addCommand(verifyCommand());
program
  .command('openapi')
  .description("print the API's OpenAPI document")
  .action(async () => void process.stdout.write(await documentText()));

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`postshelf: ${redact(explain(error))}\n`);
  // A start that failed half-way has timers, which nobody should wait for.
  process.exit(1);
}

/** What a person needs to know; the whole error where it is none of those we foresee. */
function explain(error: unknown): string {
  const isLine = [ConfigError, BackupError, OwnershipRefused, UnreadableMark].some((kind) => error instanceof kind);
  if (error instanceof Error && isLine) return error.message;
  if (error instanceof Refusal) return describe(error.problem);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describe(problem: Problem): string {
  if (problem.code === 'invalid') return summarise(problem.errors);
  return 'message' in problem ? problem.message : problem.code;
}
