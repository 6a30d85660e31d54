import { readdir } from 'node:fs/promises';
import { forEachConcurrently, startStopwatch } from '@postshelf/harness';
import type { Deployment } from '../deployments/deployment.ts';
import type { DeletedItem, Ledger } from '../ledger/ledger.ts';
import type { Api } from '../load/api.ts';
import type { Listener } from '../load/listener.ts';
import { listAt, textAt } from '../support/json.ts';
import { runCommand } from '../support/program.ts';
import { hold } from '../violation.ts';
import { type CheckCounts, checkDeleted, checkGuest, checkItem, checkPost } from './check-over-http.ts';
import { compareEvents } from './compare-events.ts';
import { compareGuests } from './compare-guests.ts';
import { compareJobs, unfinished } from './compare-jobs.ts';
import { compareMedia } from './compare-media.ts';
import { compareOthers } from './compare-others.ts';
import { comparePreviews, compareStored } from './compare-stored.ts';
import { type Rows, readRows, rowsOf } from './rows.ts';

const CONCURRENCY = 6;

/** Milliseconds between two polls of the rows. */
const PAUSE = 250;

/** The addon that the single executable unpacks once and then reuses at every start (docs/deploy.md, "One file"). */
const ADDON = /^\.bun-.*\.node$/;

/**
 * A folder with which the service passes a file to a child process. If the service is killed, the folder remains. A
 * later process removes it after a day.
 */
const OF_A_CHILD = /^postshelf-child-/;

/** Counts of what has been checked so far. */
export interface Checked extends CheckCounts {
  /** Number of objects whose bytes were read from the storage itself. */
  objects: number;
}

/** Compares the service's state with the ledger of requests. */
export class Checker {
  readonly checked: Checked = { items: 0, bytes: 0, objects: 0 };
  /** Items deleted since the last full check. */
  #deleted: DeletedItem[] = [];

  constructor(
    private readonly deployment: Deployment,
    readonly ledger: Ledger,
    readonly api: Api,
    private readonly operator: Api,
    private readonly listener: Listener,
    /** The service's folder for temporary files. */
    private readonly scratch: string,
  ) {}

  /**
   * Runs after each restart, while no client sends requests. Checks all rows by SQL. Then checks over HTTP everything
   * that requests have affected since the last check, including the bytes of files.
   *
   * @throws Violation
   */
  async afterRestart(): Promise<void> {
    const { deleted } = this.ledger;
    const before = new Set(deleted.keys());
    const rows = await this.#compareRows();
    const isNew = [...deleted].flatMap(([stem, one]) => (before.has(stem) ? [] : [one]));
    this.#deleted.push(...isNew);
    await this.#checkRecords(rows, isNew, ({ isTouched }) => isTouched);
  }

  /**
   * Runs a full check. First waits until no job and no lease is left. Then checks every item, post and workspace over
   * HTTP, the bytes of every file, the list of items, the events about the items, and the database. Also makes the
   * service check all its objects, and checks the result.
   *
   * @param timeout milliseconds within which all jobs must end. It allows for their leases, their attempts, and a slow
   *   machine.
   * @throws Violation
   */
  async everything(timeout: number): Promise<void> {
    const rows = await this.#settled(timeout);
    await this.#checkRecords(rows, this.#deleted, () => true);
    this.#deleted = [];
    const { guests, removedGuests } = this.ledger;
    await forEachConcurrently([...guests.values(), ...removedGuests], CONCURRENCY, (guest) =>
      checkGuest(this.operator, guest),
    );
    this.ledger.removedGuests = [];
    await this.#compareList(rows);
    await this.#compareEvents();
    await haveObjectsChecked(this.deployment, this.operator, timeout);
    await this.deployment.checkDatabase();
  }

  /**
   * Collects garbage, and then checks the storage itself, byte for byte. No process of the service may be running.
   *
   * @throws Violation
   */
  async storage(): Promise<void> {
    // So many kills leave an unusual amount of garbage. Without `--yes-really`, `gc` would leave it in place.
    await runCommand(['gc', '--older-than', '0s', '--yes-really'], this.deployment.settings);
    const stored = await this.deployment.readAll();
    const rows = await readRows(this.deployment);
    compareStored(this.ledger, rows, stored);
    comparePreviews(rows, stored.previews);
    this.checked.objects += stored.objects.size;
    const left = (await readdir(this.scratch)).filter((name) => !ADDON.test(name) && !OF_A_CHILD.test(name));
    hold(left.length === 0, 'Something is left in the folder for temporary files.', { left });
  }

  async #compareRows(): Promise<Rows> {
    const all = await readRows(this.deployment);
    const own = rowsOf(all, this.api.workspace);
    compareMedia(this.ledger, own);
    compareOthers(this.ledger, own);
    compareJobs(all);
    compareGuests(this.ledger, all, this.api.workspace);
    return own;
  }

  async #settled(timeout: number): Promise<Rows> {
    using stopwatch = startStopwatch();
    for (;;) {
      const rows = await this.#compareRows();
      const jobs = unfinished(rows);
      const tickets = rows.tickets.filter(({ leaseUntil }) => !isOver(leaseUntil));
      if (jobs.length === 0 && tickets.length === 0) return rows;
      hold(stopwatch.elapsed() < timeout, 'Jobs don’t end, long after their leases and tries.', {
        now: Date.now(),
        jobs,
        tickets,
      });
      await Bun.sleep(PAUSE);
    }
  }

  async #checkRecords(
    { tickets }: Rows,
    deleted: readonly DeletedItem[],
    isWanted: (record: { readonly isTouched: boolean }) => boolean,
  ): Promise<void> {
    const leases = new Map(tickets.map(({ mediaId, leaseUntil }) => [mediaId, leaseUntil]));
    await forEachConcurrently([...this.ledger.media.values()].filter(isWanted), CONCURRENCY, async (record) => {
      const isFree = isOver(leases.get(record.id ?? '') ?? null);
      record.isTouched = await checkItem(this, record, isFree);
    });
    await forEachConcurrently([...this.ledger.posts.values()].filter(isWanted), CONCURRENCY, async (record) => {
      await checkPost(this.api, record);
      record.isTouched = false;
    });
    await forEachConcurrently(deleted, CONCURRENCY, (one) => checkDeleted(this.api, one));
  }

  /**
   * Compares the events with the ledger. Before that, it creates a folder and waits for the folder's event: when this
   * event arrives, all earlier events have arrived.
   */
  async #compareEvents(): Promise<void> {
    const folders = `/workspaces/${this.api.workspace}/media_library/folders`;
    const made = await this.api.call('POST', folders, { name: `Check ${this.checked.items}` });
    const id = textAt(made?.json, 'data', 'id');
    await this.listener.find('folder.created', id);
    compareEvents(this.ledger, this.listener.received);
    await this.api.call('DELETE', `/media_library/folders/${id}`);
  }

  /** Checks that the list contains each item once, and nothing else. */
  async #compareList({ media }: Rows): Promise<void> {
    const listed: string[] = [];
    for (let page = 1; page > 0; ) {
      const path = `/workspaces/${this.api.workspace}/media_contents?per_page=100&page=${page}`;
      const { json } = await this.api.get(path);
      const items = listAt(json, 'data').map((item) => textAt(item, 'id'));
      listed.push(...items);
      page = items.length === 100 ? page + 1 : 0;
    }
    const wanted = media.filter(({ coverOf }) => coverOf === null).map(({ id }) => id);
    hold(listed.toSorted().join() === wanted.toSorted().join(), 'The list doesn’t have the items that have rows.', {
      listed: listed.length,
      wanted: wanted.length,
    });
  }
}

const isOver = (leaseUntil: number | null): boolean => leaseUntil === null || leaseUntil < Date.now();

/**
 * Makes the service run its weekly check of all objects now, while no client sends requests, and waits for the result.
 * The check must find an object for each item that is active or in the trash.
 *
 * @param timeout maximum milliseconds that the check may take
 * @throws Violation
 */
async function haveObjectsChecked(deployment: Deployment, operator: Api, timeout: number): Promise<void> {
  const { objectCheck: before } = await readRows(deployment);
  const { json } = await operator.get('/jobs?kind=check');
  const asked = await operator.call('POST', `/jobs/${textAt(json, 'data', 0, 'id')}/retry`);
  hold(asked?.status === 202, 'The check of objects is refused.', { asked });
  using stopwatch = startStopwatch();
  for (;;) {
    const { media, trashed, objectCheck, jobs } = await readRows(deployment);
    if (objectCheck && objectCheck.finishedAt !== before?.finishedAt) {
      const wanted = [...media, ...trashed].filter(({ status }) => status === 'active').length;
      const isTrue = objectCheck.checked === wanted && objectCheck.missing === 0;
      return hold(isTrue, 'The check of objects says what isn’t so.', { objectCheck, wanted });
    }
    hold(stopwatch.elapsed() < timeout, 'The check of objects doesn’t end.', { jobs });
    await Bun.sleep(PAUSE);
  }
}
