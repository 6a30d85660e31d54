import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Random, type Settings } from '@postshelf/harness';
import { Origin } from '@postshelf/harness/origin';
import { freePort } from '@postshelf/testing/servers/free-port';
import { Checker } from './check/check.ts';
import type { Deployment } from './deployments/deployment.ts';
import { Ledger } from './ledger/ledger.ts';
import { Api } from './load/api.ts';
import { Asker, Journal } from './load/asker.ts';
import { load } from './load/load.ts';
import type { Scene } from './load/scene.ts';
import { Contents } from './support/contents.ts';
import { textAt } from './support/json.ts';
import { enter, logIn, runCommand, type Service, startService } from './support/program.ts';

/** Milliseconds before the second and the third try of an import. */
const RETRY_DELAYS = [200, 500];

/** Milliseconds that imports may take to end: the lease of a killed worker, the tries, and what a busy machine needs. */
const TIMEOUT = 30_000 + 700 + 60_000;

/** Milliseconds of load before the kill. */
const LOAD = { from: 100, to: 1500 };

/** Of a hundred kills so many come while the processes start, within so many milliseconds. */
const AT_START = { percent: 10, within: 800 };

/** Of a hundred requests that were not answered so many are sent again after the restart. */
const REPEATED = 75;

export interface Plan {
  readonly rounds: number;
  /** Rounds from one full check to the next; one is made at the end as well. */
  readonly fullEvery: number;
  /**
   * After so many of a hundred kills leases end at once, as if as much time had passed: what was under way is taken up
   * again at the next start, and may be killed again. After the others nobody waits for them but a full check.
   */
  readonly endedLeases: number;
}

/** A library, the service over it, and what was asked of it. */
export class Torture {
  #service: Service | null = null;
  #killedAtStart = 0;
  #fullChecks = 0;
  #rounds = 0;

  private constructor(
    private readonly deployment: Deployment,
    private readonly settings: Settings,
    private readonly folder: string,
    private readonly journal: Journal,
    readonly scene: Scene,
    readonly checker: Checker,
  ) {}

  /** Makes a workspace with a token and a profile, and serves it. */
  static async open(made: Deployment, folder: string, seed: number): Promise<Torture> {
    const port = await freePort();
    const scratch = join(folder, 'tmp');
    await mkdir(scratch, { recursive: true });
    const settings: Settings = {
      ...made.settings,
      PORT: String(port),
      TMPDIR: scratch,
      JWT_SECRET: 'torture-secret-0123456789abcdef0123456789abcdef',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
      IMPORT_RETRY_DELAYS: RETRY_DELAYS.join(','),
      IMPORT_CONCURRENCY: '50',
      IMPORT_CONCURRENCY_PER_WORKSPACE: '50',
    };
    const deployment = { ...made, settings };
    await runCommand(['migrate'], settings);
    const { workspace, token } = await enter(settings);
    const api = new Api(`http://127.0.0.1:${port}`, workspace, token);
    const journal = new Journal(join(folder, 'ledger.ndjson'));
    const [ledger, contents] = [new Ledger(), await Contents.open(seed)];
    const service = startService(deployment.processes, settings, logIn(folder));
    await service.ready();
    const profile = await api.call('POST', `/workspaces/${workspace}/profiles`, { name: 'Torture', network: 'rack' });
    const scene: Scene = {
      api,
      ledger,
      contents,
      origin: await Origin.open(),
      random: new Random(seed),
      asker: new Asker(journal),
      profile: textAt(profile?.json, 'data', 'id'),
      isOver: true,
    };
    const checker = new Checker(deployment, ledger, api, scratch);
    const torture = new Torture(deployment, settings, folder, journal, scene, checker);
    torture.#service = service;
    return torture;
  }

  /** @throws Violation */
  async run({ rounds, fullEvery, endedLeases }: Plan, progress: (line: string) => void): Promise<void> {
    for (let round = 1; round <= rounds; round += 1) {
      await this.#loadAndKill();
      if (this.scene.random.percent(endedLeases)) await this.#endLeases();
      await this.#restart();
      await this.scene.asker.repeat(() => this.scene.random.percent(REPEATED));
      await this.checker.afterRestart();
      this.#rounds += 1;
      if (round % fullEvery !== 0 && round !== rounds) continue;
      await this.checkAll();
      const { items, objects } = this.checker.checked;
      progress(`${round} of ${rounds} kills survived, ${items} looks at items, ${objects} objects read`);
    }
  }

  /** Everything over HTTP and SQL; then the storage itself, the processes being killed meanwhile. @throws Violation */
  async checkAll(): Promise<void> {
    await this.checker.everything(TIMEOUT);
    await this.kill();
    await this.checker.storage();
    this.#fullChecks += 1;
    await this.start();
  }

  get figures() {
    const { asker } = this.scene;
    return {
      rounds: this.#rounds,
      killedAtStart: this.#killedAtStart,
      fullChecks: this.#fullChecks,
      requests: Object.fromEntries(asker.tallies),
      checked: this.checker.checked,
    };
  }

  async #loadAndKill(): Promise<void> {
    const { scene } = this;
    const delay = scene.random.whole(LOAD.from, LOAD.to - 1);
    scene.isOver = false;
    const clients = load(scene);
    // A violation that a client sees ends the wait.
    const isOver = clients.then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([Bun.sleep(delay), isOver]);
    this.journal.note('kill', { delay });
    scene.isOver = true;
    await this.kill();
    await clients;
  }

  /** The service has no setting for its clock. */
  async #endLeases(): Promise<void> {
    for (const table of ['imports', 'presigned_uploads'])
      await this.deployment.change(`update ${table} set lease_until = 1 where lease_until is not null`);
  }

  async #restart(): Promise<void> {
    const { random } = this.scene;
    if (random.percent(AT_START.percent)) {
      const service = startService(this.deployment.processes, this.settings, logIn(this.folder));
      await Bun.sleep(random.below(AT_START.within));
      await service.kill();
      this.scene.ledger.kills += 1;
      await this.deployment.quiet();
      this.#killedAtStart += 1;
    }
    await this.start();
  }

  async start(): Promise<void> {
    this.#service = startService(this.deployment.processes, this.settings, logIn(this.folder));
    await this.#service.ready();
  }

  async kill(): Promise<void> {
    this.scene.ledger.kills += 1;
    await this.#service?.kill();
    await this.deployment.quiet();
  }

  async close(): Promise<void> {
    this.scene.isOver = true;
    await this.kill();
    this.scene.origin.close();
    this.journal.close();
  }
}
