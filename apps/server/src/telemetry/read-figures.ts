import type { ShareFigures } from '@postshelf/application';
import type { PoolFigures } from '@postshelf/database';
import type { JobFigures, JobKind, Library, ObjectCheck, WorkKind } from '@postshelf/domain';
import { Counter, Gauge, type Registry } from 'prom-client';
import { countOpenFiles, openFileLimit } from './open-files.ts';
import { build } from './version.ts';

/** The sources of metrics that are read at each scrape. */
export interface FigureSources {
  /** The figures of this process's expensive work, by its kind. */
  readonly work: ReadonlyMap<WorkKind, () => ShareFigures>;
  jobs(): Promise<ReadonlyMap<JobKind, JobFigures>>;
  /** Returns the number of pending deliveries; `oldest` is the time at which the oldest one was created. */
  deliveries(): Promise<{ readonly pending: number; readonly oldest: number | null }>;
  /** Returns the time at which the oldest deletion was recorded; null if none is recorded. */
  oldestDeletion(): Promise<number | null>;
  /**
   * Returns the number of files that haven't been inspected (`countUninspected`); null before the first count. It may
   * be slightly outdated if there are many files.
   */
  uninspected(): Promise<number | null>;
  /** Returns the free bytes on the disk of the media; null if they are stored elsewhere. */
  freeDisk(): Promise<number | null>;
  /** Returns the result of `ObjectChecks.find`. */
  objectCheck(): Promise<ObjectCheck>;
  library(): Promise<Library | null>;
  /** Returns the number of log lines that were discarded since the start. */
  droppedLines(): number;
  isReadOnly(): boolean;
  readonly pool: (() => PoolFigures) | null;
  onError(figure: string, cause: unknown): void;
}

/** Minimum milliseconds for which a count is reused. */
const COUNT_LIFETIME = 60_000;

/** A count is reused for this many times as long as counting took, so that counting takes about 1% of the time. */
const COUNT_LIFETIME_FACTOR = 100;

/** Milliseconds for which a scrape waits for a count before it gets the last one. */
const COUNT_TIMEOUT = 200;

/**
 * Caches a count that may be expensive. A count of 0 is cheap, and isn't cached.
 *
 * @param count a function that counts, which may take minutes
 * @returns a function that returns a recent count; null while the first count is still running
 */
export function rememberCount(count: () => Promise<number>): () => Promise<number | null> {
  let known: number | null = null;
  let goodUntil = -Infinity;
  let counting: Promise<number> | null = null;
  const recount = async (): Promise<number> => {
    const start = performance.now();
    try {
      known = await count();
      const end = performance.now();
      if (known > 0) goodUntil = end + Math.max(COUNT_LIFETIME, COUNT_LIFETIME_FACTOR * (end - start));
      return known;
    } finally {
      counting = null;
    }
  };
  return () => {
    if (performance.now() < goodUntil) return Promise.resolve(known);
    counting ??= recount();
    return Promise.race([counting, Bun.sleep(COUNT_TIMEOUT).then(() => known)]);
  };
}

/** Returns an age in seconds; 0 for null. */
export const ageOf = (since: number | null): number => (since === null ? 0 : Math.max(0, (Date.now() - since) / 1000));

/** Registers a metric that is read at each scrape, and omitted if it can't be read or is null. */
export function liveGauge(
  registry: Registry,
  name: string,
  help: string,
  { onError }: Pick<FigureSources, 'onError'>,
  read: () => Promise<number | null> | number | null,
  prefix = 'postshelf_',
): void {
  new Gauge({
    name: `${prefix}${name}`,
    help,
    registers: [registry],
    // prom-client calls the function as a method of the gauge.
    async collect(this: Gauge) {
      this.remove();
      try {
        const value = await read();
        if (value !== null) this.set(value);
      } catch (cause) {
        onError(name, cause);
      }
    },
  });
}

/** Registers a count since the start of the process, which is read at each scrape. */
export function liveCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name: `postshelf_${name}`,
    help,
    registers: [registry],
    // prom-client calls the function as a method of the counter.
    collect(this: Counter) {
      this.reset();
      this.inc(read());
    },
  });
}

/** Registers the metrics of the weekly check of all objects, which any process of the library may have run. */
export function registerObjectCheck(registry: Registry, sources: Pick<FigureSources, 'objectCheck' | 'onError'>): void {
  const seconds = (time: number | null): number | null => (time === null ? null : time / 1000);
  const figures: readonly (readonly [string, string, (check: ObjectCheck) => number | null])[] = [
    [
      'started_timestamp_seconds',
      'Start of the current pass, in seconds since the epoch.',
      (check) => seconds(check.startedAt),
    ],
    ['checked', 'Objects checked in the current pass.', (check) => (check.startedAt === null ? null : check.checked)],
    [
      'missing',
      'Objects missing or of the wrong size in the current pass.',
      (check) => (check.startedAt === null ? null : check.missing),
    ],
    [
      'last_finished_timestamp_seconds',
      'End of the last pass, in seconds since the epoch.',
      (check) => seconds(check.finishedAt),
    ],
    [
      'last_checked',
      'Objects checked in the last pass.',
      (check) => (check.finishedAt === null ? null : check.lastChecked),
    ],
    [
      'last_missing',
      'Objects missing or of the wrong size in the last pass.',
      (check) => (check.finishedAt === null ? null : check.lastMissing),
    ],
  ];
  for (const [name, help, read] of figures) {
    liveGauge(registry, `media_check_${name}`, help, sources, async () => read(await sources.objectCheck()));
  }
}

/**
 * Registers the metrics of the last runs of the commands `backup` and `verify` in any process. Before the first run
 * they are absent.
 */
export function registerCare(registry: Registry, sources: Pick<FigureSources, 'library' | 'onError'>): void {
  const figures = [
    ['backup', 'Start of the last complete backup, in seconds since the epoch.', 'backedUpAt'],
    ['verify', 'Start of the last verify run without problems, in seconds since the epoch.', 'verifiedAt'],
  ] as const;
  for (const [command, help, field] of figures)
    liveGauge(registry, `${command}_last_timestamp_seconds`, help, sources, async () => {
      const at = (await sources.library())?.[field] ?? null;
      return at === null ? null : at / 1000;
    });
}

/** Registers a metric that is always 1. Its labels describe the program. */
export function registerBuild(registry: Registry): void {
  const { version, commit } = build();
  new Gauge({
    name: 'postshelf_build_info',
    help: 'Version and commit of the running program, as labels.',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set({ version, commit: commit ?? '' }, 1);
}

/**
 * Registers metrics of the process under the standard names of Prometheus clients. prom-client's own default metrics
 * aren't used, because half of them are always zero under Bun.
 */
export function registerProcess(registry: Registry, sources: Pick<FigureSources, 'onError'>): void {
  const live = (name: string, help: string, read: () => Promise<number> | number): void =>
    liveGauge(registry, name, help, sources, read, 'process_');
  live('resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  live(
    'start_time_seconds',
    'Start of the process, in seconds since the epoch.',
    () => Date.now() / 1000 - process.uptime(),
  );
  const maxFds = openFileLimit();
  if (maxFds !== null) live('max_fds', 'Maximum number of open file descriptors.', () => maxFds);
  if (countOpenFiles() !== null) live('open_fds', 'Open file descriptors.', () => countOpenFiles() ?? 0);
  live('cpu_seconds_total', 'CPU time spent in user and system mode.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}
