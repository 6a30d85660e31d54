/**
 * Kinds of costly work, each with slots of its own:
 *
 * - `uploads`: a request receives a file, by multipart or at an upload address;
 * - `fetches`: a request waits for a file by URL, from the look-up of its host on;
 * - `imports`: a worker fetches a file that no request waits for;
 * - `covers`: ffmpeg makes the cover of a video;
 * - `scans`: a reader thread searches, counts, or goes through the posts of a window.
 */
export type WorkKind = 'uploads' | 'fetches' | 'imports' | 'covers' | 'scans';

/** How much of one kind of work there may be at once, and how long who wants more may wait for it. */
export interface KindLimits {
  /** Slots of all workspaces together. A workspace gets at most half of them, rounded up: see `SlotPool`. */
  readonly slots: number;
  /** Slots that one workspace may hold. */
  readonly perWorkspace: number;
  /** Those of one workspace that may wait. */
  readonly queuePerWorkspace: number;
  /** Those of all workspaces that may wait. */
  readonly queue: number;
  /** Milliseconds that one waits. */
  readonly patience: number;
  /** Whole seconds that one who is refused is told to stay away. */
  readonly retryAfter: number;
  /** What one who is refused is told. */
  readonly message: string;
}

export type WorkLimits = Readonly<Record<WorkKind, KindLimits>>;

/** What operators decide of the table. */
export interface WorkSizes {
  readonly uploads: number;
  readonly fetches: number;
  readonly imports: number;
  readonly importsPerWorkspace: number;
}

/** The one table of sizes. */
export const limitWork = ({ uploads, fetches, imports, importsPerWorkspace }: WorkSizes): WorkLimits => ({
  uploads: {
    slots: uploads,
    perWorkspace: uploads,
    queuePerWorkspace: uploads,
    queue: 4 * uploads,
    patience: 10_000,
    retryAfter: 10,
    message: 'Too many uploads are under way.',
  },
  fetches: {
    slots: fetches,
    perWorkspace: fetches,
    queuePerWorkspace: 2 * fetches,
    queue: 8 * fetches,
    patience: 10_000,
    retryAfter: 10,
    message: 'Too many files are being fetched.',
  },
  // Nobody waits here: what finds no slot stays in the database's queue.
  imports: {
    slots: imports,
    perWorkspace: importsPerWorkspace,
    queuePerWorkspace: 0,
    queue: 0,
    patience: 0,
    retryAfter: 10,
    message: 'Too many imports are under way.',
  },
  // An upload waits here behind its last byte; one whose wait ends goes without a cover for now.
  covers: {
    slots: 2,
    perWorkspace: 1,
    queuePerWorkspace: 20,
    queue: 100,
    patience: 10_000,
    retryAfter: 10,
    message: 'Too many covers are being made.',
  },
  scans: {
    slots: 4,
    perWorkspace: 2,
    queuePerWorkspace: 8,
    queue: 64,
    patience: 5_000,
    retryAfter: 2,
    message: 'Too many searches and reports are under way.',
  },
});
