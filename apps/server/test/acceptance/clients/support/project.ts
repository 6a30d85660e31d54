import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { run } from '../../support/run.ts';
import { removeFolder, scratchFolder } from '../../support/server.ts';
import { installed } from './install.ts';

const client = resolve(import.meta.dir, '../../../../../../packages/client');

/**
 * A project as a stranger starts it: its packages from npm, and `@postshelf/client` from the tarball that `npm pack`
 * makes, installed by npm.
 */
export class Project {
  private constructor(readonly folder: string) {}

  /**
   * @param name its folder beside this file
   * @param sample where the sample for React of the client's README is written
   */
  static async open(name: string, sample: string): Promise<Project> {
    const modules = await installed(join(import.meta.dir, '..', name));
    // Some bundlers look for what encloses a project, and tell its real path from its name.
    const project = new Project(realpathSync(scratchFolder()));
    await project.take(name, modules);
    mkdirSync(dirname(join(project.folder, sample)), { recursive: true });
    writeFileSync(join(project.folder, sample), readmeSample());
    return project;
  }

  private async take(name: string, modules: string): Promise<void> {
    const own = { cwd: this.folder, env: this.environment() };
    // Hundreds of megabytes are linked where that can be; the one file that npm writes in its place is copied.
    const [from, lock] = [join(modules, 'node_modules'), 'node_modules/.package-lock.json'];
    await run(['cp', '--archive', '--link', from, this.folder], own).catch(() =>
      run(['cp', '--archive', from, this.folder], own),
    );
    rmSync(join(this.folder, lock), { force: true });
    cpSync(join(modules, lock), join(this.folder, lock));
    for (const manifest of ['package.json', 'package-lock.json'])
      cpSync(join(modules, manifest), join(this.folder, manifest));
    cpSync(join(import.meta.dir, '..', name, 'program'), this.folder, { recursive: true });
    const packed = join(this.folder, '.packed');
    mkdirSync(packed);
    await run(['node', join(client, 'test/support/install.mjs'), packed], own);
    const tarball = join(this.folder, 'postshelf-client.tgz');
    cpSync(join(packed, 'client.tgz'), tarball);
    rmSync(packed, { recursive: true });
    // Offline: its peers are there, or it must not install.
    const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run(['npm', 'install', ...options, tarball], own);
  }

  /** All that commands in it see: nothing that they could tell their makers. */
  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { PATH = '', HOME = '' } = process.env;
    return { PATH, HOME, NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1', ...more };
  }

  /** Runs a program of its packages. */
  run(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
    const command = [join(this.folder, 'node_modules/.bin', program), ...args];
    return run(command, { cwd: this.folder, env: this.environment(more) });
  }

  /** Every copy of packages in it, by their folders. */
  async copiesOf(names: readonly string[]): Promise<string[]> {
    const own = { cwd: this.folder, env: this.environment() };
    const printed = await run(['npm', 'ls', ...names, '--all', '--parseable'], own);
    const isCopy = (path: string) => names.some((name) => path.endsWith(`/node_modules/${name}`));
    return [...new Set(printed.split('\n').filter(isCopy))].sort();
  }

  close(): void {
    removeFolder(this.folder);
  }
}

/** The block of the client's README that is for React. */
function readmeSample(): string {
  const text = readFileSync(join(client, 'README.md'), 'utf8');
  const [, sample] = /^```tsx\n(.*?)^```/ms.exec(text) ?? [];
  if (sample === undefined) throw new Error("The client's README has no sample for React.");
  return sample;
}
