import { realpath, stat } from 'node:fs/promises';
import { Command } from 'commander';
import { readServiceAccess } from '../../config/service-access.ts';
import { version } from '../../telemetry/version.ts';
import { standardOutput } from '../print.ts';
import { CommandError } from '../run.ts';

export const mcpCommand = (): Command =>
  new Command('mcp')
    .description(
      'let an assistant on this machine use a service through the Model Context Protocol; ends when the assistant disconnects',
    )
    .requiredOption('--dir <folder>', 'the only folder from which the assistant may upload files')
    .action(bridge);

async function bridge({ dir }: { readonly dir: string }): Promise<void> {
  const access = readServiceAccess();
  const folder = await folderAt(dir);
  // This module is loaded only here, because no other command uses the Model Context Protocol.
  const { bridgeTo } = await import('./bridge.ts');
  await bridgeTo({ ...access, folder, version }, { input: process.stdin, output: standardOutput() });
}

/** Resolves the folder of `--dir`. @returns its real path */
async function folderAt(dir: string): Promise<string> {
  const path = await realpath(dir).catch((error: Error) => {
    throw new CommandError(`--dir: ${error.message}`);
  });
  if (!(await stat(path)).isDirectory()) throw new CommandError(`--dir: ${dir} is not a folder`);
  return path;
}
