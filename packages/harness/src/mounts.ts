import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { type Program, program } from './program.ts';

/**
 * Commands that run another one in a new mount namespace. The first works for root, the second for users who are
 * allowed to create user namespaces.
 */
const UNSHARE = [
  ['unshare', '--mount'],
  ['unshare', '--user', '--map-root-user', '--mount'],
] as const;

const works = (command: readonly string[]): boolean =>
  Bun.spawnSync([...command, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stderr: 'ignore' }).success;

const unshare = Bun.which('unshare') === null ? undefined : UNSHARE.find(works);

/**
 * Whether file systems can be mounted; most containers don't allow it. If they can't, reports which tests are skipped.
 *
 * @param skipped what remains untested without mounts
 */
export function canMount(skipped: string): boolean {
  if (unshare !== undefined) return true;
  if (!hasPrograms(['unshare', 'mount', 'nsenter'], skipped)) return false;
  process.stderr.write(
    `\nMounts are not allowed here (neither as root nor in a user namespace). SKIPPED: ${skipped}\n\n`,
  );
  return false;
}

/**
 * Mounts file systems that only programs started here can see. They are unmounted when this process ends, however it
 * ends. They live in a mount namespace (mount_namespaces(7)) that a program holds open until its standard input ends.
 */
export class Mounts {
  /**
   * An empty folder in which to mount. Programs outside the namespace see the folder, but not what is mounted there.
   */
  readonly folder = mkdtempSync(join(tmpdir(), 'postshelf-mounts-'));

  private constructor(
    private readonly keeper: Bun.Subprocess<'pipe', 'pipe', 'inherit'>,
    private readonly enter: readonly string[],
  ) {}

  static async open(): Promise<Mounts> {
    if (unshare === undefined) throw new Error('Mounts are not allowed here.');
    const keeper = Bun.spawn([...unshare, 'sh', '-c', 'echo ready; exec cat'], { stdin: 'pipe', stdout: 'pipe' });
    // The namespace can be entered only once it exists.
    await keeper.stdout.getReader().read();
    const namespaces = unshare.length > 2 ? ['--user', '--preserve-credentials', '--mount'] : ['--mount'];
    return new Mounts(keeper, ['nsenter', `--target=${keeper.pid}`, ...namespaces, `--wd=${program.cwd}`, '--']);
  }

  get program(): Program {
    return this.inside(program);
  }

  inside(other: Program): Program {
    return { ...other, command: [...this.enter, ...other.command] };
  }

  /** Returns the path with which programs outside the namespace reach the given path below {@link folder}. */
  outside(path: string): string {
    return `/proc/${this.keeper.pid}/root${path}`;
  }

  /**
   * Runs a command in the namespace.
   *
   * @throws Error with its error output if it fails
   */
  run(...command: readonly string[]): string {
    const { success, stdout, stderr } = Bun.spawnSync([...this.enter, ...command]);
    if (!success) throw new Error(`${command.join(' ')}: ${stderr}`);
    return stdout.toString();
  }

  /** Mounts a disk of the given size in bytes on a new folder below {@link folder}; returns its path. */
  disk(name: string, bytes: number): string {
    const path = join(this.folder, name);
    mkdirSync(path);
    this.run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path);
    return path;
  }

  async close(): Promise<void> {
    this.keeper.kill('SIGKILL');
    await this.keeper.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
