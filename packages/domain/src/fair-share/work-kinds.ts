/**
 * Kinds of costly work, each with its own slots:
 * - `uploads` and `fetches` by requests, and `imports` by workers
 * - `hashes` of files that are read again
 * - `reads`, which take seconds to copy objects from a bucket to this machine, and `streams` from a bucket straight to
 *   readers
 * - `archives` that are downloaded
 * - `checks` of links
 * - `scans` of many rows
 * - `replays` of events to streams that are new or have fallen behind
 * - `writes` of batches and folder moves
 */
export const WORK_KINDS = [
  'uploads',
  'fetches',
  'imports',
  'covers',
  'previews',
  'fits',
  'conversions',
  'deliveries',
  'hashes',
  'reads',
  'streams',
  'archives',
  'checks',
  'scans',
  'replays',
  'writes',
] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

export interface KindLimits {
  /** Slots for all workspaces together. */
  readonly slots: number;
  /** Maximum number of slots for one workspace. It gets fewer while other workspaces hold slots; see `SlotPool`. */
  readonly perWorkspace: number;
  readonly queuePerWorkspace: number;
  readonly queue: number;
  /** Milliseconds. */
  readonly waitTimeout: number;
  /** Whole seconds. */
  readonly retryAfter: number;
  readonly message: string;
}

export type WorkLimits = Readonly<Record<WorkKind, KindLimits>>;

/** The sizes that operators can set. */
export interface WorkSizes {
  readonly uploads: number;
  readonly uploadsPerWorkspace: number;
  readonly imports: number;
  readonly importsPerWorkspace: number;
  readonly scans: number;
  readonly writes: number;
}

export const limitWork = (sizes: WorkSizes): WorkLimits => ({
  uploads: {
    slots: sizes.uploads,
    perWorkspace: sizes.uploadsPerWorkspace,
    queuePerWorkspace: sizes.uploads,
    // Each waiting upload takes up to 1.7 MB of memory, because Bun receives that much before the body is read.
    queue: 2 * sizes.uploads,
    waitTimeout: 10_000,
    retryAfter: 10,
    message: 'Too many uploads are in progress.',
  },
  fetches: {
    slots: 24,
    perWorkspace: 12,
    queuePerWorkspace: 48,
    queue: 192,
    waitTimeout: 30_000,
    retryAfter: 10,
    message: 'Too many files are being fetched.',
  },
  // Waiting jobs stay in the database's queue.
  imports: {
    slots: sizes.imports,
    perWorkspace: sizes.importsPerWorkspace,
    queuePerWorkspace: 0,
    queue: 0,
    waitTimeout: 0,
    retryAfter: 10,
    message: 'Too many imports are under way.',
  },
  // After the timeout an upload is stored without a cover, which is made later.
  covers: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 20,
    queue: 100,
    waitTimeout: 5_000,
    retryAfter: 10,
    message: 'Too many covers are being made.',
  },
  // A page requests dozens of previews together; making each takes a tenth of a second.
  previews: {
    slots: 3,
    perWorkspace: 2,
    queuePerWorkspace: 100,
    queue: 400,
    waitTimeout: 20_000,
    retryAfter: 5,
    message: 'Too many previews are being made.',
  },
  // Waiting jobs stay in the database's queue.
  fits: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 0,
    queue: 0,
    waitTimeout: 0,
    retryAfter: 10,
    message: 'Too many files are being converted.',
  },
  // Each conversion takes seconds and up to a gigabyte of memory. Clients may wait long, because they have already sent
  // the file. Waiting and converting together take less time than a connection may be idle.
  conversions: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 100,
    queue: 400,
    waitTimeout: 90_000,
    retryAfter: 10,
    message: 'Too many images are being converted.',
  },
  // Waiting deliveries stay in the database's queue. A receiver that never answers keeps a slot for 15 seconds.
  deliveries: {
    slots: 32,
    perWorkspace: 8,
    queuePerWorkspace: 0,
    queue: 0,
    waitTimeout: 0,
    retryAfter: 10,
    message: 'Too many webhooks are being delivered.',
  },
  // Reading 2 GB from a bucket takes tens of seconds.
  hashes: {
    slots: 4,
    perWorkspace: 2,
    queuePerWorkspace: 40,
    queue: 200,
    waitTimeout: 30_000,
    retryAfter: 10,
    message: 'Too many uploaded files are being read.',
  },
  // A page shows dozens of previews together. If a reader waits too long, the file is streamed without a copy.
  reads: {
    slots: 64,
    perWorkspace: 32,
    queuePerWorkspace: 200,
    queue: 800,
    waitTimeout: 20_000,
    retryAfter: 5,
    message: 'Too many files are being read.',
  },
  // Each stream keeps a connection to the store for as long as its reader takes.
  streams: {
    slots: 256,
    perWorkspace: 128,
    queuePerWorkspace: 100,
    queue: 400,
    waitTimeout: 10_000,
    retryAfter: 10,
    message: 'Too many files are being downloaded.',
  },
  // Each archive reads one file after another, for as long as its reader takes, and uses the main thread.
  archives: {
    slots: 32,
    perWorkspace: 16,
    queuePerWorkspace: 20,
    queue: 80,
    waitTimeout: 10_000,
    retryAfter: 10,
    message: 'Too many ZIP files are being downloaded.',
  },
  // Each check ends within ten seconds. A workspace gets one at a time, because a check sends requests back to this
  // service.
  checks: {
    slots: 8,
    perWorkspace: 1,
    queuePerWorkspace: 5,
    queue: 40,
    waitTimeout: 20_000,
    retryAfter: 10,
    message: 'Too many links are being checked.',
  },
  // A workspace's queue has room for all calls of one batched request.
  scans: {
    slots: sizes.scans,
    perWorkspace: Math.max(1, sizes.scans - 1),
    queuePerWorkspace: 50,
    queue: 200,
    waitTimeout: 10_000,
    retryAfter: 2,
    message: 'Too many searches and reports are running.',
  },
  // A slot is held for only one page of events, so that all streams make progress. The queue has no limit of its own,
  // because the number of open streams is limited. A stream that waits for too long ends, and its client reopens it.
  replays: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: Number.POSITIVE_INFINITY,
    queue: Number.POSITIVE_INFINITY,
    waitTimeout: 30_000,
    retryAfter: 5,
    message: 'Too many event streams are lagging behind.',
  },
  // Writes are never refused, because a request that is refused halfway couldn't say which part of its work was done.
  writes: {
    slots: sizes.writes,
    perWorkspace: Math.max(1, Math.floor(sizes.writes / 2)),
    queuePerWorkspace: Number.POSITIVE_INFINITY,
    queue: Number.POSITIVE_INFINITY,
    waitTimeout: Number.POSITIVE_INFINITY,
    retryAfter: 10,
    message: 'Too many post imports and folder moves are running.',
  },
});
