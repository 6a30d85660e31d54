import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder with the scripts of each server. */
export const SCRIPTS = resolve(import.meta.dir, '../../../../.ci');

/** A server that a script of this repository has started. */
export interface KeptServer {
  readonly directory: string;
  /** The settings with which the server is reached (`NAME=value`), as printed by its script. */
  readonly settings: Readonly<Record<string, string>>;
  /** @throws Error if other test processes share the server, so that it must not be stopped */
  requireOwn(): void;
}

/**
 * For each server, the environment variable that names the directory of a running one (.dev/servers.mjs), and the file
 * in that directory that contains its settings.
 */
const KINDS = {
  postgres: { variable: 'POSTSHELF_TEST_POSTGRES', file: 'postgres.env' },
  radosgw: { variable: 'POSTSHELF_TEST_RADOSGW', file: 's3.env' },
} as const;

/**
 * Returns the server that `npm test` shares among test processes, if it set one up; otherwise one that lives as long as
 * this process.
 */
export async function keptServer(name: keyof typeof KINDS): Promise<KeptServer> {
  const { variable, file } = KINDS[name];
  const shared = process.env[variable];
  const directory = shared ?? (await mkdtemp(join(tmpdir(), `postshelf-${name}-`)));
  if (shared === undefined) await keepRunning(name, directory);
  const settings = await readFile(join(directory, file), 'utf8');
  return {
    directory,
    settings: Object.fromEntries(
      Array.from(settings.matchAll(/^(\w+)=(.*)$/gm), ([, key = '', value = '']) => [key, value]),
    ),
    requireOwn: () => {
      if (shared !== undefined)
        throw new Error(`Other tests share this ${name}: .dev/test.mjs lists the tests that have one of their own.`);
    },
  };
}

async function keepRunning(name: string, directory: string): Promise<void> {
  const keeper = Bun.spawn([join(SCRIPTS, 'keep.sh'), name, directory], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  // The script prints its settings last, so the server is ready when there is output.
  const reader = keeper.stdout.getReader();
  const { done } = await reader.read();
  await reader.cancel();
  // From here on, the script doesn't keep this process alive. It is unreferenced only now, because Bun uses a whole
  // processor while it waits only for something unreferenced.
  keeper.unref();
  if (done) throw new Error(`${name}/start.sh failed: ${await new Response(keeper.stderr).text()}`);
}
