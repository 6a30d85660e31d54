import { type FoundFile, fileNameOf, folderPath, type SourceEntry, Unreadable } from '@postshelf/domain';
import type { Folders } from './folders.ts';
import { FolderGone, type Library, OtherBytes } from './library.ts';
import { NotTaken } from './patience.ts';
import type { ImportProgress } from './progress.ts';
import { type Report, stateOf } from './report.ts';
import type { FileTaker, TakenFile } from './take-file.ts';
import type { Tally } from './tally.ts';

/** Maximum number of attempts for a file that changes while it is read or sent, or whose folder is deleted. */
const TRIES = 3;

const DEEPER = 'Its folders are nested too deep, so the file was put into the deepest folder that is allowed.';

interface Parts {
  readonly library: Library;
  /** The folders of the workspace; null if all items are placed at the root. */
  readonly folders: Folders | null;
  readonly report: Report;
  readonly taker: FileTaker;
  readonly progress: ImportProgress;
  readonly tally: Tally;
}

/** Imports files one by one. Each becomes one item, however often the process is killed. */
export class Importer {
  /**
   * The latest work on each hash. Equal files are imported one after the other, so that the second finds the item of
   * the first.
   */
  readonly #byHash = new Map<string, Promise<unknown>>();

  constructor(private readonly parts: Parts) {}

  /** Imports an entry of the source, or records why it isn't imported. @throws Stopped */
  async bring(entry: SourceEntry): Promise<void> {
    const { report, tally, progress } = this.parts;
    if (entry.kind !== 'file') {
      if (entry.kind === 'refused') return this.#refuse(entry.path, entry.reason);
      tally.skipped += 1;
      return report.add({ ...UNKNOWN, path: entry.path, status: 'skipped', reason: entry.reason });
    }
    if (report.isSettled(entry)) return;
    const meter = progress.file(entry.size);
    try {
      await this.#bringFile(entry, meter.sent);
    } catch (error) {
      if (!(error instanceof NotTaken || error instanceof Unreadable)) throw error;
      await this.#refuse(entry.path, error.message);
    }
    meter.end();
  }

  async #refuse(path: string, reason: string): Promise<void> {
    this.parts.tally.refuse(path, reason);
    await this.parts.report.add({ ...UNKNOWN, path, status: 'refused', reason });
  }

  async #bringFile(found: FoundFile, onSent: (bytes: number) => void): Promise<void> {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await this.#bringOnce(found, onSent);
      } catch (error) {
        if (left === 0 || !mayPass(error)) throw asNotTaken(error);
        if (error instanceof FolderGone) this.parts.folders?.clear();
      }
    }
  }

  async #bringOnce({ path }: FoundFile, onSent: (bytes: number) => void): Promise<void> {
    const { library, taker } = this.parts;
    const file = await library.patience.through(() => taker.take(path));
    try {
      await this.#alone(file.sha256, () => this.#settle(path, file, onSent));
    } finally {
      await file.release();
    }
  }

  /**
   * Imports a file that was read. Before the first byte is sent, a `sending` row is added to the report. Suppose that a
   * run is killed and the library has the file's bytes afterwards: if the report has a `sending` row, this import
   * created the item; if not, the item existed before.
   */
  async #settle(path: string, file: TakenFile, onSent: (bytes: number) => void): Promise<void> {
    const { library, report, folders, tally } = this.parts;
    const state = { path, ...file };
    const row = { path, ...stateOf(state), sha256: file.sha256, reason: '' };
    const interrupted = report.interrupted(state);
    const known = await library.find(file.sha256);
    if (known !== null) {
      const isOwn = interrupted !== null && !report.hasItem(known);
      if (isOwn) this.#count(file);
      else tally.duplicates += 1;
      return report.add({ ...row, status: isOwn ? 'imported' : 'duplicate', media_id: known });
    }
    const { names, isCut } = folderPath(path);
    const folderId = folders === null ? null : await folders.of(names);
    await report.add({ ...row, status: 'sending', media_id: interrupted?.uploadId ?? '' });
    const id = await library.send({
      ...file,
      name: fileNameOf(path),
      folderId,
      uploadId: interrupted?.uploadId ?? null,
      check: file.check,
      // If this row can't be written, the error is ignored here. The next row can't be written either, and its error is
      // reported.
      onBegun: (uploadId) => void report.add({ ...row, status: 'sending', media_id: uploadId }).catch(() => undefined),
      onSent,
    });
    // The service may change the bytes: it removes the location, or converts the file. Then the search by hash above
    // doesn't find the item of an equal file that was imported earlier, but the service returns this item here.
    const isOther = report.hasItem(id);
    if (isOther) tally.duplicates += 1;
    else this.#count(file);
    const reason = folders !== null && isCut && !isOther ? DEEPER : '';
    await report.add({ ...row, status: isOther ? 'duplicate' : 'imported', media_id: id, reason });
  }

  #count({ size }: TakenFile): void {
    this.parts.tally.imported += 1;
    this.parts.tally.bytes += size;
  }

  async #alone(sha256: string, work: () => Promise<void>): Promise<void> {
    const before = this.#byHash.get(sha256);
    const mine = (async () => {
      await before?.catch(() => undefined);
      await work();
    })();
    this.#byHash.set(sha256, mine);
    try {
      await mine;
    } finally {
      if (this.#byHash.get(sha256) === mine) this.#byHash.delete(sha256);
    }
  }
}

const UNKNOWN = { media_id: '', size: '', modified_at: '', sha256: '' } as const;

const mayPass = (error: unknown): boolean =>
  error instanceof FolderGone || error instanceof OtherBytes || (error instanceof Unreadable && error.hasChanged);

const asNotTaken = (error: unknown): unknown =>
  error instanceof FolderGone || error instanceof OtherBytes ? new NotTaken(error.message) : error;
