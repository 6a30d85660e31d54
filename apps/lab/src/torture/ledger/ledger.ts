import type { Content } from '../support/contents.ts';
import type { FitShape } from './fit.ts';
import type { GuestRecord } from './guest.ts';
import { Register } from './register.ts';

/** The files of one request. Either all of them are stored, or none. */
export interface Group {
  readonly records: readonly MediaRecord[];
  /** Whether a check has already found that either all of the files were stored, or none of them. */
  isDecided: boolean;
}

/** The progress of a resumable upload, in bytes. */
interface Transfer {
  /** Bytes that an answer acknowledged. */
  acknowledged: number;
  /** Bytes that the last request passed to the network. */
  sent: number;
  /** Whether a client is sending the upload. */
  isBusy: boolean;
}

/** A media item that was requested. */
export interface MediaRecord {
  /** The requested name, without an extension; no other item has it. */
  readonly stem: string;
  /** The content that is sent; for a fit, the content of its original. */
  readonly content: Content;
  /** The expected bytes. The service makes those of a fit, so they are null until they have been read. */
  bytes: Pick<Content, 'sha256' | 'size'> | null;
  readonly source: 'upload' | 'import' | 'presigned' | 'resumable' | 'fit';
  readonly fit: Fit | null;
  /**
   * The item's final status, unless the item is deleted. An item with a presigned upload reaches this status only after
   * its file has been sent.
   */
  ends: 'active' | 'failed';
  /** Number of kills before the item was requested. */
  readonly bornAfter: number;
  readonly group: Group;
  id: string | null;
  /** The full name in the last answer or, if no answer contained one, in the row. */
  fullName: string | null;
  readonly exists: Register<boolean>;
  /** The folder and the label as one text (see {@link placeOf}), because one request changes both. */
  readonly place: Register<string>;
  /**
   * The hash of the image that was chosen as the video's cover; null if the service chooses the cover, or there is
   * none.
   */
  readonly cover: Register<string | null>;
  /** Whether the file of a presigned or resumable upload has arrived. */
  readonly sent: Register<boolean>;
  /** Progress of a resumable upload. */
  readonly transfer: Transfer;
  /**
   * Whether a client has ever requested to delete the item, even if the item was restored. If true, fits of the item
   * may fail.
   */
  wasDeleted: boolean;
  /** Whether a check has found the item to be `active`. After that it may have no other status. */
  isActive: boolean;
  /** Whether a request has affected the item since its last check. */
  isTouched: boolean;
}

/** A fit that the service is to make of another item. */
export interface Fit extends FitShape {
  readonly original: MediaRecord;
}

type Asked = 'stem' | 'content' | 'bytes' | 'source' | 'fit' | 'ends' | 'group';

export interface FolderRecord {
  readonly name: string;
  id: string | null;
  readonly exists: Register<boolean>;
  readonly parent: Register<string | null>;
}

export interface PostRecord {
  readonly externalId: string;
  id: string | null;
  readonly exists: Register<boolean>;
  /** All six metrics as one text (see {@link metricsOf}), because one request changes all of them. */
  readonly metrics: Register<string>;
  isTouched: boolean;
}

/** An item that was deleted, and must not reappear. */
export interface DeletedItem {
  readonly id: string | null;
  readonly fullName: string | null;
}

export const placeOf = (folder: unknown, label: unknown): string => JSON.stringify([folder ?? null, label ?? null]);

export const METRICS = ['impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;

/** Returns six metrics that no other call returns, so that a check notices a mixture of two writes. */
export const madeMetrics = (number: number): Readonly<Record<string, number>> =>
  Object.fromEntries(METRICS.map((name, index) => [name, number * METRICS.length + index]));

export const metricsOf = (read: (name: string) => unknown): string =>
  JSON.stringify(METRICS.map((name) => Number(read(name))));

/** Everything that was requested from the service, and the outcomes as far as they are known. */
export class Ledger {
  readonly media = new Map<string, MediaRecord>();
  readonly folders = new Map<string, FolderRecord>();
  readonly posts = new Map<string, PostRecord>();
  readonly deleted = new Map<string, DeletedItem>();
  readonly guests = new Map<string, GuestRecord>();
  /** Guests that were removed, or never created, since the last full check. */
  removedGuests: GuestRecord[] = [];
  /** Number of kills so far. */
  kills = 0;
  /** Maximum number of bytes that had to be sent again after a resumable upload was interrupted. */
  mostSentTwice = 0;
  #number = 0;

  /** Returns a unique number. */
  number(): number {
    this.#number += 1;
    return this.#number;
  }

  /** Adds the media of one request, before it is sent. */
  addMedia(
    contents: readonly Content[],
    details: Pick<MediaRecord, 'source' | 'ends'> & { readonly place: string },
  ): Group {
    const { source, ends, place } = details;
    const records: MediaRecord[] = [];
    const group: Group = { records, isDecided: false };
    for (const content of contents) {
      const stem = `item-${String(content.number).padStart(8, '0')}`;
      records.push(this.#add({ stem, content, bytes: content, source, fit: null, ends, place, group }));
    }
    return group;
  }

  /**
   * Adds a fit of an item, before the fit is requested. The fit's folder and label become known from the answer or,
   * without an answer, from the fit's row.
   */
  addFit(stem: string, fit: Fit): MediaRecord {
    const { content } = fit.original;
    const group: Group = { records: [], isDecided: true };
    return this.#add({ stem, content, bytes: null, source: 'fit', fit, ends: 'active', place: '', group });
  }

  #add(asked: Pick<MediaRecord, Asked> & { readonly place: string }): MediaRecord {
    const record: MediaRecord = {
      ...asked,
      bornAfter: this.kills,
      id: null,
      fullName: null,
      exists: new Register(false),
      place: new Register(asked.place),
      cover: new Register<string | null>(null),
      sent: new Register(false),
      transfer: { acknowledged: 0, sent: 0, isBusy: false },
      wasDeleted: false,
      isActive: false,
      isTouched: true,
    };
    this.media.set(record.stem, record);
    return record;
  }

  addGuest(): GuestRecord {
    const name = `guest ${this.number()}`;
    const guest = { name, id: null, token: null, exists: new Register(false), items: new Set<string>() };
    this.guests.set(name, guest);
    return guest;
  }

  addFolder(name: string, parent: string | null): FolderRecord {
    const record = { name, id: null, exists: new Register(false), parent: new Register(parent) };
    this.folders.set(name, record);
    return record;
  }

  addPost(externalId: string, metrics: string): PostRecord {
    const record = {
      externalId,
      id: null,
      exists: new Register(false),
      metrics: new Register(metrics),
      isTouched: true,
    };
    this.posts.set(externalId, record);
    return record;
  }

  /** Media whose ids are known and that aren't known to be deleted. */
  get known(): readonly MediaRecord[] {
    return [...this.media.values()].filter(({ id, exists }) => id !== null && !exists.is(false));
  }

  /** Moves a deleted item from {@link media} to {@link deleted}. */
  forget(record: MediaRecord): void {
    this.media.delete(record.stem);
    this.deleted.set(record.stem, { id: record.id, fullName: record.fullName });
  }
}
