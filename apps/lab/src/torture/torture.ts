import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Random, type Settings } from '@postshelf/harness';
import { Origin } from '@postshelf/harness/origin';
import { freePort } from '@postshelf/testing/servers/free-port';
import { Checker } from './check/check.ts';
import type { Deployment } from './deployments/deployment.ts';
import { KilledJobs } from './killed-jobs.ts';
import { Ledger } from './ledger/ledger.ts';
import { Api } from './load/api.ts';
import { Listener } from './load/listener.ts';
import { load } from './load/load.ts';
import type { LoadContext } from './load/load-context.ts';
import { removeGuest } from './load/operating.ts';
import { Receiver, WEBHOOK_RETRY_DELAYS } from './load/receiver.ts';
import { Journal, Requester } from './load/requester.ts';
import { Contents } from './support/contents.ts';
import { textAt } from './support/json.ts';
import { enter, logIn, runCommand, type Service, startService } from './support/program.ts';

/** Milliseconds before the second and the third attempt of an import. */
const RETRY_DELAYS = [200, 500];

/** Milliseconds within which jobs must end: the longest lease, the attempts, and a margin for a busy machine. */
const TIMEOUT = 60_000 + 700 + 60_000;

/** Milliseconds of load before a kill. */
const LOAD = { from: 100, to: 1500 };

/**
 * The percentage of kills for which the clients stop first, and the milliseconds between that stop and the kill. The
 * service makes previews only after a second without uploads, so other kills hardly ever interrupt making a preview.
 */
const IN_QUIET = { percent: 20, from: 900, to: 2500 };

/**
 * The percentage of kills that follow the removal of a workspace, and the maximum milliseconds in between. Other kills
 * would rarely interrupt a removal, because it takes so little time.
 */
const AT_REMOVAL = { percent: 25, within: 300 };

/** The percentage of kills while the processes start, and the milliseconds after the start within which they happen. */
const AT_START = { percent: 10, within: 800 };

/** The percentage of unanswered requests that are repeated after the restart. */
const REPEATED = 75;

export interface Plan {
  readonly rounds: number;
  /** Number of rounds between full checks. There is also a full check at the end. */
  readonly fullEvery: number;
  /**
   * The percentage of kills after which all leases are ended in the database, as if they had expired. The interrupted
   * work is then claimed at the next start, and may be interrupted again. After other kills the leases expire normally,
   * and only a full check waits until they have expired.
   */
  readonly endedLeases: number;
}

/** A library, the service that uses it, and the ledger of requests. */
export class Torture {
  #service: Service | null = null;
  #killedAtStart = 0;
  #fullChecks = 0;
  #rounds = 0;
  readonly #killed = new KilledJobs();

  private constructor(
    private readonly deployment: Deployment,
    private readonly settings: Settings,
    private readonly folder: string,
    private readonly journal: Journal,
    readonly context: LoadContext,
    readonly checker: Checker,
    private readonly listener: Listener,
    private readonly receiver: Receiver,
  ) {}

  /** Creates a workspace with a token and a profile, and starts the service. */
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
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_RETRY_DELAYS: WEBHOOK_RETRY_DELAYS.join(','),
      PREVIEWS_AHEAD: 'true',
      CHECK_OBJECTS_PER_SECOND: '100',
      IMPORT_CONCURRENCY: '50',
      IMPORT_CONCURRENCY_PER_WORKSPACE: '50',
    };
    const deployment = { ...made, settings };
    await runCommand(['migrate'], settings);
    const { workspace, token } = await enter(settings);
    const root = `http://127.0.0.1:${port}`;
    const api = new Api(root, workspace, token);
    const { token: ofOperator } = await runCommand(['token', 'create', '--operator'], settings);
    const operator = new Api(root, '', String(ofOperator));
    const journal = new Journal(join(folder, 'ledger.ndjson'));
    const [ledger, contents] = [new Ledger(), await Contents.open(seed)];
    const service = startService(deployment.processes, settings, logIn(folder));
    await service.ready();
    const profile = await api.call('POST', `/workspaces/${workspace}/profiles`, { name: 'Torture', network: 'rack' });
    const context: LoadContext = {
      api,
      operator,
      ledger,
      contents,
      origin: await Origin.open(),
      random: new Random(seed),
      requester: new Requester(journal),
      profile: textAt(profile?.json, 'data', 'id'),
      isOver: true,
    };
    const receiver = await Receiver.open(api, new Random(seed));
    const listener = await Listener.open(api);
    const checker = new Checker(deployment, ledger, api, operator, listener, scratch);
    const torture = new Torture(deployment, settings, folder, journal, context, checker, listener, receiver);
    torture.#service = service;
    return torture;
  }

  /**
   * Runs the rounds and the checks.
   *
   * @throws Violation
   */
  async run({ rounds, fullEvery, endedLeases }: Plan, progress: (line: string) => void): Promise<void> {
    for (let round = 1; round <= rounds; round += 1) {
      await this.#loadAndKill();
      if (this.context.random.percent(endedLeases)) await this.#endLeases();
      await this.#restart();
      // Ends the leases of interrupted requests with an `Idempotency-Key`. Otherwise, the service would answer repeats
      // of these requests with 409 for half a minute.
      await this.#endLeasesOf('repeats');
      await this.context.requester.repeat(() => this.context.random.percent(REPEATED));
      await this.checker.afterRestart();
      this.#rounds += 1;
      if (round % fullEvery !== 0 && round !== rounds) continue;
      await this.checkAll();
      const { items, objects } = this.checker.checked;
      progress(`${round} of ${rounds} kills survived, ${items} checks of items, ${objects} objects read`);
    }
  }

  /**
   * Runs a full check over HTTP and SQL, and then, with the processes killed, a check of the storage itself.
   *
   * @throws Violation
   */
  async checkAll(): Promise<void> {
    await this.checker.everything(TIMEOUT);
    await this.receiver.findAll(this.listener.received, TIMEOUT);
    await this.kill();
    await this.checker.storage();
    this.#fullChecks += 1;
    await this.start();
  }

  get figures() {
    const { requester } = this.context;
    return {
      rounds: this.#rounds,
      killedAtStart: this.#killedAtStart,
      fullChecks: this.#fullChecks,
      killedJobs: this.#killed.counts,
      requests: Object.fromEntries(requester.tallies),
      checked: this.checker.checked,
      mostSentTwice: this.context.ledger.mostSentTwice,
    };
  }

  async #loadAndKill(): Promise<void> {
    const { context } = this;
    const delay = context.random.whole(LOAD.from, LOAD.to - 1);
    context.isOver = false;
    const clients = load(context);
    // If a client finds a violation, the load ends early.
    const isOver = clients.then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([Bun.sleep(delay), isOver]);
    if (context.random.percent(AT_REMOVAL.percent)) {
      await removeGuest(context);
      await Bun.sleep(context.random.below(AT_REMOVAL.within));
    }
    context.isOver = true;
    if (context.random.percent(IN_QUIET.percent)) {
      await clients;
      await Bun.sleep(context.random.whole(IN_QUIET.from, IN_QUIET.to));
    }
    this.journal.note('kill', { delay });
    await this.kill();
    await clients;
  }

  /** Ends leases by changing the database, because the service's clock can't be set forward. */
  async #endLeases(): Promise<void> {
    await this.#endLeasesOf('presigned_uploads');
    await this.deployment.change('update jobs set due_at = 1 where lease_owner is not null');
    await this.deployment.change('update job_turns set due_at = 1 where due_at is not null');
  }

  async #endLeasesOf(table: 'presigned_uploads' | 'repeats'): Promise<void> {
    await this.deployment.change(`update ${table} set lease_until = 1 where lease_until is not null`);
  }

  async #restart(): Promise<void> {
    const { random } = this.context;
    if (random.percent(AT_START.percent)) {
      const service = startService(this.deployment.processes, this.settings, logIn(this.folder));
      await Bun.sleep(random.below(AT_START.within));
      await service.kill();
      this.context.ledger.kills += 1;
      await this.deployment.quiet();
      await this.#killed.count(this.deployment);
      this.#killedAtStart += 1;
    }
    await this.start();
  }

  async start(): Promise<void> {
    this.#service = startService(this.deployment.processes, this.settings, logIn(this.folder));
    await this.#service.ready();
  }

  async kill(): Promise<void> {
    this.context.ledger.kills += 1;
    await this.#service?.kill();
    await this.deployment.quiet();
    await this.#killed.count(this.deployment);
  }

  async close(): Promise<void> {
    this.context.isOver = true;
    const isListening = this.listener.close();
    await this.kill();
    await isListening;
    await this.receiver.close();
    this.context.origin.close();
    this.journal.close();
  }
}
