import { collectGarbage } from '@postshelf/application';
import { Refusal, summarise } from '@postshelf/domain';
import { Command } from 'commander';
import { print, withComposition } from './commands/run.ts';
import { serve } from './commands/serve.ts';
import { tokenCommand } from './commands/token.ts';
import { work } from './commands/worker.ts';
import { workspaceCommand } from './commands/workspace.ts';
import { ConfigError } from './config.ts';
import { documentText } from './http/openapi.ts';

const program = new Command('postshelf')
  .description('Self-hosted media library for social publishing')
  .version('1.0.0')
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
  .action(() =>
    withComposition(async ({ migrated }) => {
      const ran = migrated.map((name) => `Ran ${name}.`);
      print(false, {}, [...ran, 'The database is up to date.']);
    }),
  );

program.addCommand(workspaceCommand()).addCommand(tokenCommand());

program
  .command('gc')
  .description('remove what crashed requests left: staged uploads and objects without a media item')
  .option('--json', 'print one JSON object')
  .action(({ json }: { json?: boolean }) =>
    withComposition(async ({ ports }) => {
      const report = await collectGarbage(ports);
      print(json, report, [`Removed ${report.staged} staged uploads and ${report.objects} objects without an item.`]);
    }),
  );

program
  .command('openapi')
  .description("print the API's OpenAPI document")
  .action(() => void process.stdout.write(documentText()));

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`postshelf: ${explain(error)}\n`);
  // A start that failed half-way has timers, which nobody should wait for.
  process.exit(1);
}

/** What a person needs to know; the whole error where it is none of those we foresee. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Refusal)
    return error.problem.code === 'invalid' ? summarise(error.problem.errors) : error.problem.code;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
