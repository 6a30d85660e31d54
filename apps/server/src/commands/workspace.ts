import { createWorkspace } from '@postshelf/application';
import { Command } from 'commander';
import { collect, print, showTime, withComposition } from './run.ts';

interface CreateOptions {
  readonly name: string;
  readonly timezone: string;
  readonly systemFolder: readonly string[];
  readonly json?: boolean;
}

/** `postshelf workspace …` */
export function workspaceCommand(): Command {
  const workspace = new Command('workspace').description('make and list workspaces');
  workspace
    .command('create')
    .description('make a workspace')
    .requiredOption('--name <name>', 'what people call it')
    .option('--timezone <zone>', 'IANA time zone, such as Europe/Berlin', 'UTC')
    .option('--system-folder <name>', 'a folder that users cannot rename, move or delete; repeatable', collect, [])
    .option('--json', 'print one JSON object')
    .action(({ name, timezone, systemFolder, json }: CreateOptions) =>
      withComposition(async ({ ports }) => {
        const made = await createWorkspace(ports, { name, timezone, systemFolders: systemFolder });
        const { id } = made;
        print(json, { id, name: made.name, timezone }, [`Made workspace ${made.name} (${timezone}): ${id}`]);
      }),
    );
  workspace
    .command('list')
    .description('list all workspaces')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const all = await ports.workspaces.list();
        const data = all.map(({ createdAt, ...rest }) => ({ ...rest, created_at: showTime(createdAt) }));
        print(
          json,
          { data },
          all.length ? all.map((one) => `${one.id}  ${one.name} (${one.timezone})`) : ['None yet.'],
        );
      }),
    );
  return workspace;
}
