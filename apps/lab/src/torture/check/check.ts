import { readdir } from 'node:fs/promises';
import { forEachAtOnce } from '@postshelf/harness';
import type { Deployment } from '../deployments/deployment.ts';
import type { Gone, Ledger } from '../ledger/ledger.ts';
import type { Api } from '../load/api.ts';
import { listAt, textAt } from '../support/json.ts';
import { runCommand } from '../support/program.ts';
import { hold } from '../violation.ts';
import { compareMedia } from './compare-media.ts';
import { compareOthers } from './compare-others.ts';
import { compareStored } from './compare-stored.ts';
import { type Looked, lookAtItem, lookAtPost, lookForGone } from './look-over-http.ts';
import { type Rows, readRows } from './rows.ts';

const LOOKS_AT_ONCE = 6;

/** What the program as one file unpacks once, for all its starts (docs/deploy.md, "One file"). */
const ADDON = /^\.bun-.*\.node$/;

/** What all looks so far came to. */
export interface Checked extends Looked {
  /** Objects whose bytes were read from the storage itself. */
  objects: number;
}

/** Looks at what the service has made of what the ledger says that it was asked. */
export class Checker {
  readonly checked: Checked = { items: 0, bytes: 0, objects: 0 };
  /** Gone since everything was looked at last. */
  #gone: Gone[] = [];

  constructor(
    private readonly deployment: Deployment,
    private readonly ledger: Ledger,
    private readonly api: Api,
    /** The service's folder for temporary files. */
    private readonly scratch: string,
  ) {}

  /**
   * After each restart, while no client asks for anything: all rows by SQL, and over HTTP what was touched since the
   * last look, its bytes too.
   *
   * @throws Violation
   */
  async afterRestart(): Promise<void> {
    const { gone } = this.ledger;
    const before = new Set(gone.keys());
    const rows = await this.#compareRows();
    const isNew = [...gone].flatMap(([stem, one]) => (before.has(stem) ? [] : [one]));
    this.#gone.push(...isNew);
    await this.#look(rows, isNew, ({ isTouched }) => isTouched);
  }

  /**
   * Everything: waits until no import is under way and no lease is left, looks at every item, post and list over HTTP, at
   * every byte through its link, and has engagement counted anew.
   *
   * @param timeout milliseconds that imports may take to end: their lease, their tries, and what the machine needs
   * @throws Violation
   */
  async everything(timeout: number): Promise<void> {
    const rows = await this.#settled(timeout);
    await this.#look(rows, this.#gone, () => true);
    this.#gone = [];
    await this.#compareList(rows);
    const rebuilt = await runCommand(['analytics', 'rebuild'], this.deployment.settings);
    hold(rebuilt.corrected === 0, 'Engagement doesn’t add up to its posts.', { rebuilt });
    await this.deployment.checkDatabase();
  }

  /**
   * The storage itself, byte for byte, after a collection of garbage; no process of the service may run.
   *
   * @throws Violation
   */
  async storage(): Promise<void> {
    // With consent: so many kills leave more than crashes do.
    await runCommand(['gc', '--older-than', '0s', '--yes-really'], this.deployment.settings);
    const stored = await this.deployment.readAll();
    compareStored(this.ledger, await readRows(this.deployment), stored);
    this.checked.objects += stored.objects.size;
    const left = (await readdir(this.scratch)).filter((name) => !ADDON.test(name));
    hold(left.length === 0, 'Something is left in the folder for temporary files.', { left });
  }

  async #compareRows(): Promise<Rows> {
    const rows = await readRows(this.deployment);
    compareMedia(this.ledger, rows);
    compareOthers(this.ledger, rows);
    return rows;
  }

  async #settled(timeout: number): Promise<Rows> {
    const deadline = Date.now() + timeout;
    for (;;) {
      const rows = await this.#compareRows();
      const processing = rows.media.filter(({ status }) => status === 'processing');
      if (processing.length === 0 && rows.tickets.every(({ leaseUntil }) => isOver(leaseUntil))) return rows;
      hold(Date.now() < deadline, 'Imports don’t end, long after their leases and tries.', {
        processing,
        imports: rows.imports,
        tickets: rows.tickets.filter(({ leaseUntil }) => !isOver(leaseUntil)),
      });
      await Bun.sleep(250);
    }
  }

  async #look(
    { tickets }: Rows,
    gone: readonly Gone[],
    isWanted: (record: { readonly isTouched: boolean }) => boolean,
  ): Promise<void> {
    const leases = new Map(tickets.map(({ mediaId, leaseUntil }) => [mediaId, leaseUntil]));
    await forEachAtOnce([...this.ledger.media.values()].filter(isWanted), LOOKS_AT_ONCE, async (record) => {
      const isFree = isOver(leases.get(record.id ?? '') ?? null);
      record.isTouched = await lookAtItem(this.api, record, isFree, this.checked);
    });
    await forEachAtOnce([...this.ledger.posts.values()].filter(isWanted), LOOKS_AT_ONCE, async (record) => {
      await lookAtPost(this.api, record);
      record.isTouched = false;
    });
    await forEachAtOnce(gone, LOOKS_AT_ONCE, (one) => lookForGone(this.api, one));
  }

  /** The list has each item once, and none beside them. */
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
