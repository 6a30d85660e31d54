import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bigMp4 } from '../../support/fixtures.ts';
import { run } from '../../support/run.ts';
import { removeFolder, scratchFolder } from '../../support/server.ts';
import { within } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

const repository = resolve(import.meta.dir, '../../../../../..');
const install = join(repository, 'packages/client/test/support/install.mjs');

const here = { cwd: repository, env: { ...process.env } };

/** The commands that run programs that use the client, by runtime. */
export const runtimes = {
  'Node 20': 'node',
  Bun: join(repository, 'node_modules/bun/bin/bun.exe'),
} as const;

/** The maximum duration of a scenario in milliseconds. */
const SCENARIO_PATIENCE = 60_000;

/** A process that answers each line with a line. */
interface Program {
  ask(line: string): Promise<string>;
  end(): void;
}

function startProgram(runtime: string, script: string): Program {
  const child = spawn(runtime, [script], { ...here, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${runtime} ${script} has ended with ${child.exitCode ?? child.signalCode}.`);
      return value;
    },
    end: () => void child.kill(),
  };
}

/** A folder in which the published client is installed, as a user would install it. */
export class Installed {
  readonly folder = scratchFolder();
  readonly #programs = new Map<string, Program>();

  static async open(): Promise<Installed> {
    const installed = new Installed();
    await run([process.execPath, install, 'client', installed.folder], here);
    copyFileSync(join(import.meta.dir, 'scenarios.mjs'), join(installed.folder, 'scenarios.mjs'));
    return installed;
  }

  /**
   * Runs a scenario in the program of a runtime, and returns its output. The program runs one scenario at a time.
   *
   * @throws Error with the message of the failure
   */
  async scenario(runtime: string, name: string, world: World, given: object = {}): Promise<Record<string, unknown>> {
    const { workspace } = world.ids;
    const settings = { url: world.server.url, token: world.tokens.all, workspace, ...given };
    const program = this.#programs.get(runtime) ?? this.#start(runtime);
    const answer = program.ask(JSON.stringify([name, settings]));
    const { result, error } = JSON.parse(await within(`${name} under ${runtime}`, answer, SCENARIO_PATIENCE));
    if (error !== undefined) throw new Error(`${name} failed: ${error}`);
    return result;
  }

  #start(runtime: string): Program {
    const program = startProgram(runtime, join(this.folder, 'scenarios.mjs'));
    this.#programs.set(runtime, program);
    return program;
  }

  /** Writes a file for the scenarios and returns its path. */
  file(name: string, bytes: Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  /** Writes a valid MP4 of any size as a sparse file, and returns its path. */
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
    for (const program of this.#programs.values()) program.end();
    removeFolder(this.folder);
  }
}
