import { closeSync, copyFileSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bigMp4 } from '../../support/fixtures.ts';
import { run } from '../../support/run.ts';
import { removeFolder, scratchFolder } from '../../support/server.ts';
import type { World } from '../../support/world.ts';

const repository = resolve(import.meta.dir, '../../../../../..');
const install = join(repository, 'packages/client/test/support/install.mjs');

const here = { cwd: repository, env: { ...process.env } };

/** The commands that run programs that use the client, by runtime. */
export const runtimes = {
  'Node 20': 'node',
  Bun: join(repository, 'node_modules/bun/bin/bun.exe'),
} as const;

/** A user's folder, in which the published client is installed. */
export class Installed {
  readonly folder = scratchFolder();

  static async open(): Promise<Installed> {
    const installed = new Installed();
    await run([process.execPath, install, 'client', installed.folder], here);
    copyFileSync(join(import.meta.dir, 'scenarios.mjs'), join(installed.folder, 'scenarios.mjs'));
    return installed;
  }

  /** Runs a scenario in a process of its own and returns its output. */
  async scenario(runtime: string, name: string, world: World, given: object = {}): Promise<Record<string, unknown>> {
    const { workspace } = world.ids;
    const settings = { url: world.server.url, token: world.tokens.all, workspace, ...given };
    const printed = await run([runtime, join(this.folder, 'scenarios.mjs'), name, JSON.stringify(settings)], here);
    return JSON.parse(printed) as Record<string, unknown>;
  }

  /** Writes a file for the scenarios and returns its path. */
  file(name: string, bytes: Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  /** A valid MP4 of any size, as a sparse file. */
  movie(name: string, size: number): string {
    const path = join(this.folder, name);
    const { head, tail } = bigMp4(size);
    const file = openSync(path, 'w');
    ftruncateSync(file, size);
    writeSync(file, head, 0, head.length, 0);
    writeSync(file, tail, 0, tail.length, size - tail.length);
    closeSync(file);
    return path;
  }

  close(): void {
    removeFolder(this.folder);
  }
}
