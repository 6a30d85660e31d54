import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandResult, collect, REPOSITORY, type Settings } from '@postshelf/harness';

/** The compiled program: the result of `npm run build`, or the one that `POSTSHELF_TEST_PROGRAM` names. */
export const binary = resolve(process.env.POSTSHELF_TEST_PROGRAM ?? join(REPOSITORY, 'dist/postshelf'));
if (!existsSync(binary)) throw new Error(`${binary} is missing; run \`npm run build\`.`);

/** Runs a test in an empty folder of its own. */
export async function inEmptyFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postshelf-binary-'));
  try {
    await test(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a command to its end, with this environment and nothing else. */
export const run = (command: readonly string[], cwd: string, env: Settings = {}): Promise<CommandResult> =>
  collect(command, { cwd, env });
