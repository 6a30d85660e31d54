import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Entry, makeWorkspace, memoryOf, type Program } from '@postshelf/harness';
import { Mounts } from '@postshelf/harness/mounts';
import { Origin } from '@postshelf/harness/origin';
import { freePort } from '@postshelf/testing/servers/free-port';
import type { Deployment } from '../deployments/deployment.ts';
import { chosenProgram, logIn, runCommand, type Service, startService } from '../support/program.ts';
import type { Attack, AttackTarget } from './attacks/attack.ts';

const MIB = 1024 * 1024;

/** A service with a new library, one honest tenant and two attackers. */
export class AttackSetup implements AsyncDisposable {
  private constructor(
    readonly honest: Entry,
    readonly target: AttackTarget,
    private readonly service: Service,
    private readonly mounts: Mounts | null,
  ) {}

  /** Starts the service with the default settings, but allows imports from this machine, and webhooks to it. */
  static async open(deployment: Deployment, folder: string, { fill, surroundings }: Attack): Promise<AttackSetup> {
    const mounts = surroundings?.disk === undefined ? null : await Mounts.open();
    const port = await freePort();
    const scratch = join(folder, 'tmp');
    await mkdir(scratch, { recursive: true });
    const settings = {
      ...deployment.settings,
      ...(mounts && { DATA_DIR: mounts.disk('data', surroundings?.disk ?? 0) }),
      PORT: String(port),
      TMPDIR: scratch,
      LOG_FORMAT: 'json',
      IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    };
    const program = mounts ? mounts.inside(chosenProgram()) : chosenProgram();
    const run = (args: readonly string[]) => runCommand(args, settings, program);
    await run(['migrate']);
    const make = (name: string) => makeWorkspace(settings, { name, by: program });
    const [honest, one, other] = [await make('Honest'), await make('Attacker'), await make('Another attacker')];
    await fill?.(deployment, one.workspace);
    const limited = withDescriptors(program, surroundings?.descriptors);
    const service = startService(deployment.processes, settings, logIn(folder), limited);
    await service.ready();
    const data = settings.DATA_DIR ?? folder;
    const disk = mounts ? mounts.outside(data) : data;
    const target: AttackTarget = {
      port,
      root: `http://127.0.0.1:${port}`,
      attackers: [one, other],
      origin: await Origin.open(),
      async freeDisk() {
        const { bavail, bsize } = await statfs(disk);
        return bavail * bsize;
      },
      revoke: async ({ token }) => void (await run(['token', 'revoke', idOf(token)])),
    };
    return new AttackSetup(honest, target, service, mounts);
  }

  /**
   * Returns the peak memory in MiB of the service's largest process since the last {@link forgetPeak}.
   *
   * @throws Error if a process of the service has ended
   */
  async peak(): Promise<number> {
    const peaks = await Promise.all(this.service.pids.map(async (pid) => (await memoryOf(pid)).peak));
    return Math.max(...peaks) / MIB;
  }

  /** The id of the process that serves. */
  get pid(): number {
    return this.service.pids[0] ?? 0;
  }

  /** Resets the peak to the current memory (proc_pid_clear_refs(5)). */
  async forgetPeak(): Promise<void> {
    await Promise.all(this.service.pids.map((pid) => writeFile(`/proc/${pid}/clear_refs`, '5')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.kill();
    this.target.origin.close();
    await this.mounts?.close();
  }
}

/**
 * Limits the program's number of file descriptors. If the machine allows fewer than `limit`, the machine's limit stays
 * in effect.
 */
const withDescriptors = (program: Program, limit: number | undefined): Program =>
  limit === undefined
    ? program
    : { ...program, command: ['sh', '-c', `ulimit -n ${limit} 2>/dev/null; exec "$0" "$@"`, ...program.command] };

/** Returns the id of a token, which is its claim `jti`. */
function idOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly jti: string };
  return claims.jti;
}
