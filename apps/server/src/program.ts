import { Command } from 'commander';
import { backupCommand } from './commands/backup/backup.ts';
import { restoreCommand } from './commands/backup/restore.ts';
import { completionCommand } from './commands/completion.ts';
import { copyCommand } from './commands/copy/copy.ts';
import { demoCommand } from './commands/demo/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { endFailed, throwErrors } from './commands/failure.ts';
import { gcCommand } from './commands/garbage.ts';
import { importCommand } from './commands/import/import.ts';
import { mcpCommand } from './commands/mcp/mcp.ts';
import { operationCommands } from './commands/operations/commands.ts';
import { print, standardOutput } from './commands/print.ts';
import { withComposition } from './commands/run.ts';
import { storageCommand } from './commands/storage/storage.ts';
import { verifyCommand } from './commands/verify.ts';

import { compose } from './compose/compose.ts';

import { documentText } from './http/openapi.ts';
import { build, versionText } from './telemetry/version.ts';

interface Printed {
  readonly json?: boolean;
}

const program = new Command('postshelf')
  .description('Self-hosted media library for social publishing')
  .version(versionText());

// What serves and works is loaded only by these two commands, because all others start faster without it.
program
  .command('serve')
  .description('serve the API until stopped')
  .option(
    '--welcome',
    'on an empty database, create a workspace and a token and print them; otherwise print how to sign in',
  )
  .option('--no-worker', 'leave jobs and garbage collection to separate worker processes')
  .action(async (options) => (await import('./commands/service/serve.ts')).serve(options));

program
  .command('worker')
  .description('work on jobs and collect garbage, without serving the API')
  .action(async () => (await import('./commands/service/worker.ts')).work());

program
  .command('migrate')
  .description("migrate the database's schema, as every start of the service does")
  .option('--into-shared-database', "create a new library alongside another program's tables")
  .option('--json', 'print one JSON object')
  .action(({ json, intoSharedDatabase: mayShareDatabase = false }: Printed & { intoSharedDatabase?: boolean }) =>
    withComposition(
      async ({ migrated }) => {
        const ran = migrated.map((name) => `Ran ${name}.`);
        print(json, { migrated }, [...ran, 'The database is up to date.']);
      },
      (config) => compose(config, { signs: false, mayShareDatabase }),
    ),
  );

const args = process.argv.slice(2);
for (const command of operationCommands(args)) program.addCommand(command);

program
  .addCommand(storageCommand())
  .addCommand(copyCommand())
  .addCommand(importCommand())
  .addCommand(gcCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(verifyCommand())
  .addCommand(doctorCommand())
  .addCommand(mcpCommand())
  .addCommand(demoCommand());
program
  .command('openapi')
  .description("print the API's OpenAPI document")
  .option('--json', 'accepted for consistency; the document is always JSON')
  .action(async () => void standardOutput().write(await documentText()));
program
  .command('version')
  .description('print the version, and the commit it was built from')
  .option('--json', 'print one JSON object')
  .action(({ json }: Printed) => print(json, build(), [`postshelf ${versionText()}`]));
program
  .command('licenses')
  .description('print the licenses of the packages that the program is built from')
  .option('--json', 'print one JSON object, {licenses}')
  .action(async ({ json }: Printed) => {
    // The text is loaded only when needed, because it is half a megabyte that no other command reads.
    const { default: licenses } = await import('../dist/THIRD_PARTY_NOTICES', { with: { type: 'text' } });
    print(json, { licenses }, [licenses.trimEnd()]);
  });
program.addCommand(completionCommand(program));

const json = args.includes('--json');
throwErrors(program, json);
try {
  await program.parseAsync();
} catch (error) {
  endFailed(error, args, json);
}
