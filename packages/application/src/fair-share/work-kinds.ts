/**
 * Kinds of costly work, each with slots of its own:
 *
 * - `uploads`: a request receives a file, by multipart or at an upload address;
 * - `fetches`: a request waits for a file by URL, from the look-up of its host on;
 * - `imports`: a worker fetches a file that no request waits for;
 * - `covers`: ffmpeg makes the cover of a video;
 * - `previews`: a child process decodes a picture;
 * - `fits`: ffmpeg makes a file that fits a target;
 * - `hashes`: an uploaded file is read once more, as its hash is not known or coordinates go out of it;
 * - `scans`: a reader thread searches, counts, or goes through the posts of a window;
 * - `writes`: an import of posts writes a batch, or some of many media items are changed.
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

/** How much of one kind of work there may be at once, and how many callers may wait for how long. */
export interface KindLimits {
  /** Slots of all workspaces together. */
  readonly slots: number;
  /** Slots that one workspace may hold while no other holds any; fewer then, see `SlotPool`. */
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

/** The one table of sizes. */
export const limitWork = (sizes: WorkSizes): WorkLimits => ({
  uploads: {
    slots: sizes.uploads,
    perWorkspace: sizes.uploadsPerWorkspace,
    queuePerWorkspace: sizes.uploads,
    // Each waiting upload takes up to 1.7 MB: as much as Bun receives of a body that nobody reads.
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
    // An answer waits for an image for minutes; a batch of images may wait for its turns.
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
  // An upload waits here after its last byte; at the timeout it is stored without a cover for now.
  covers: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 20,
    queue: 100,
    waitTimeout: 5_000,
    retryAfter: 10,
    message: 'Too many covers are being made.',
  },
  // A page of tiles asks for dozens at once; each takes a tenth of a second, some megapixels of PNG up to two.
  previews: {
    slots: 3,
    perWorkspace: 2,
    queuePerWorkspace: 100,
    queue: 400,
    waitTimeout: 20_000,
    retryAfter: 5,
    message: 'Too many previews are being made.',
  },
  // No queue here either: a job that gets no slot stays in the database's queue. Each takes a core for minutes at worst.
  fits: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 0,
    queue: 0,
    waitTimeout: 0,
    retryAfter: 10,
    message: 'Too many files are being made to fit.',
  },
  // A confirmation waits here; 2 GB take a second on a disk, and some tens from a bucket.
  hashes: {
    slots: 4,
    perWorkspace: 2,
    queuePerWorkspace: 40,
    queue: 200,
    waitTimeout: 30_000,
    retryAfter: 10,
    message: 'Too many uploaded files are being read.',
  },
  // As many of one workspace may wait as a batch has calls.
  scans: {
    slots: sizes.scans,
    perWorkspace: Math.max(1, sizes.scans - 1),
    queuePerWorkspace: 50,
    queue: 200,
    waitTimeout: 10_000,
    retryAfter: 2,
    message: 'Too many searches and reports are under way.',
  },
  // Nobody is refused: an import waits here in the middle of its body, a change of many items between two of them, and a
  // refusal couldn't report what was done so far.
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
