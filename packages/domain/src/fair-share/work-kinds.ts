/**
 * Kinds of costly work, each with slots of its own:
 *
 * - `uploads`: a request receives a file, by multipart or at an upload address;
 * - `fetches`: a request waits for a file by URL, from the look-up of its host on;
 * - `imports`: a worker fetches a file that no request waits for;
 * - `covers`: ffmpeg makes the cover of a video;
 * - `previews`: a child process decodes an image;
 * - `fits`: ffmpeg makes a file that fits a target;
 * - `hashes`: an uploaded file is read again, to hash it or to remove coordinates;
 * - `scans`: a reader thread searches, counts, or goes through the posts of a window;
 * - `writes`: an import of posts writes a batch, or a request changes many media items.
 */
export const WORK_KINDS = [
  'uploads',
  'fetches',
  'imports',
  'covers',
  'previews',
  'fits',
  'hashes',
  'scans',
  'writes',
] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** Limits of one kind of work: how much at once, and how many callers may wait for how long. */
export interface KindLimits {
  /** Slots of all workspaces together. */
  readonly slots: number;
  /** Slots that one workspace may hold while no other holds any; fewer while others do, see `SlotPool`. */
  readonly perWorkspace: number;
  /** Callers of one workspace that may wait. */
  readonly queuePerWorkspace: number;
  /** Callers of all workspaces that may wait. */
  readonly queue: number;
  /** Milliseconds that a caller waits at most; `Infinity` for as long as it takes. */
  readonly waitTimeout: number;
  /** Whole seconds after which a refused caller may try again. */
  readonly retryAfter: number;
  /** The message of the refusal. */
  readonly message: string;
}

export type WorkLimits = Readonly<Record<WorkKind, KindLimits>>;

/** The numbers of the table that operators set. */
export interface WorkSizes {
  readonly uploads: number;
  readonly uploadsPerWorkspace: number;
  readonly imports: number;
  readonly importsPerWorkspace: number;
  /** Scans that the database runs at once. */
  readonly scans: number;
  /** Large writes that the database takes at once. */
  readonly writes: number;
}

/** The limits of each kind of work. */
export const limitWork = (sizes: WorkSizes): WorkLimits => ({
  uploads: {
    slots: sizes.uploads,
    perWorkspace: sizes.uploadsPerWorkspace,
    queuePerWorkspace: sizes.uploads,
    // Each waiting upload takes up to 1.7 MB: what Bun receives of a body before it is read.
    queue: 2 * sizes.uploads,
    waitTimeout: 10_000,
    retryAfter: 10,
    message: 'Too many uploads are under way.',
  },
  fetches: {
    slots: 24,
    perWorkspace: 12,
    queuePerWorkspace: 48,
    queue: 192,
    // A fetch may hold its slot for minutes, until its image has arrived.
    waitTimeout: 30_000,
    retryAfter: 10,
    message: 'Too many files are being fetched.',
  },
  // No queue here: an import that gets no slot stays in the database's queue.
  imports: {
    slots: sizes.imports,
    perWorkspace: sizes.importsPerWorkspace,
    queuePerWorkspace: 0,
    queue: 0,
    waitTimeout: 0,
    retryAfter: 10,
    message: 'Too many imports are under way.',
  },
  // An upload waits here after its last byte. After the timeout it is stored without a cover, which follows later.
  covers: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 20,
    queue: 100,
    waitTimeout: 5_000,
    retryAfter: 10,
    message: 'Too many covers are being made.',
  },
  // A page of tiles requests dozens at once; each takes a tenth of a second, a PNG of many megapixels up to two.
  previews: {
    slots: 3,
    perWorkspace: 2,
    queuePerWorkspace: 100,
    queue: 400,
    waitTimeout: 20_000,
    retryAfter: 5,
    message: 'Too many previews are being made.',
  },
  // No queue here either: a job that gets no slot stays in the database's queue. Each uses a core, for minutes at
  // worst.
  fits: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 0,
    queue: 0,
    waitTimeout: 0,
    retryAfter: 10,
    message: 'Too many files are being made to fit.',
  },
  // A confirmation waits here. Reading 2 GB takes a second from a disk, and some tens of seconds from a bucket.
  hashes: {
    slots: 4,
    perWorkspace: 2,
    queuePerWorkspace: 40,
    queue: 200,
    waitTimeout: 30_000,
    retryAfter: 10,
    message: 'Too many uploaded files are being read.',
  },
  // A batch can have this many calls, and all may wait.
  scans: {
    slots: sizes.scans,
    perWorkspace: Math.max(1, sizes.scans - 1),
    queuePerWorkspace: 50,
    queue: 200,
    waitTimeout: 10_000,
    retryAfter: 2,
    message: 'Too many searches and reports are under way.',
  },
  // No caller is refused, as a refusal couldn't report what was done so far: an import waits here in the middle of its
  // body, and a change of many items between two groups of them.
  writes: {
    slots: sizes.writes,
    perWorkspace: Math.max(1, Math.floor(sizes.writes / 2)),
    queuePerWorkspace: Number.POSITIVE_INFINITY,
    queue: Number.POSITIVE_INFINITY,
    waitTimeout: Number.POSITIVE_INFINITY,
    retryAfter: 10,
    message: 'Too many posts are being imported.',
  },
});
