import type { GarbageReport, InspectedItem } from '@postshelf/application';
import type { PoolFigures } from '@postshelf/database';
import type { ObjectCheck } from '@postshelf/domain';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { takenAway } from './garbage.ts';
import { knownMethod } from './known-method.ts';
import { countOpenFiles, openFileLimit } from './open-files.ts';
import { build } from './version.ts';
import { registerWork, type WorkFigures } from './work-metrics.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** Parameters in braces; null where no route matched. */
  readonly route: string | null;
  readonly status: number;
  /** Until the answer's head. */
  readonly seconds: number;
  /** Bytes of its body that were read. */
  readonly bytesIn: number;
}

/** Figures that are read when somebody asks for them. */
export interface FigureSources {
  readonly work: WorkFigures;
  /** As of `ImportQueue.depth`. */
  imports(): Promise<{ readonly jobs: number; readonly oldest: number | null }>;
  /** As of `CoverQueue.depth`. */
  coversDue(): Promise<number>;
  /** As of `FitQueue.depth`. */
  fitsDue(): Promise<number>;
  /** As of `countUninspected`, a while old where there are many; null before the first. */
  uninspected(): Promise<number | null>;
  /** Bytes free on the disk that media are kept on; null where they are kept elsewhere. */
  freeDisk(): Promise<number | null>;
  /** As of `ObjectChecks.find`. */
  objectCheck(): Promise<ObjectCheck>;
  /** Lines of the log that were dropped since the start. */
  droppedLines(): number;
  /** Connections to the database; null where it needs none. */
  readonly pool: (() => PoolFigures) | null;
  /** Called with a figure that couldn't be read, and is left out. */
  onError(figure: string, cause: unknown): void;
}

/** Seconds: small reads take a millisecond, uploads minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];

/** The route of a request that matched none: strangers must not be able to add series by odd paths. */
const NO_ROUTE = 'none';

/** The process's figures, in Prometheus' text format. Their names are what dashboards rely on. */
export class Metrics {
  /** One of its own: the library's global one would be shared by every instance in a process. */
  readonly #registry = new Registry();
  readonly contentType = this.#registry.contentType;
  readonly #requests = this.#counter('http_requests_total', 'Requests answered.', ['method', 'route', 'status']);
  readonly #bytesIn = this.#counter('http_request_body_bytes_total', 'Bytes of request bodies read.', ['route']);
  readonly #limited = this.#counter('rate_limited_total', 'Operations refused because a token asks too often.');
  readonly #closed = this.#counter(
    'connections_closed_early_total',
    'Silent connections closed because descriptors were low.',
  );
  readonly #imports = this.#counter('imports_total', 'Ends of imports in the background, and tries.', ['outcome']);
  readonly #dueCovers = this.#counter('due_covers_total', 'Ends of covers in the background, and tries.', ['outcome']);
  readonly #previews = this.#counter('due_previews_total', 'Pictures whose previews were made ahead, and tries.', [
    'outcome',
  ]);
  readonly #fits = this.#counter('fits_total', 'Ends of files that were made to fit, and tries.', ['outcome']);
  readonly #garbage = this.#counter('gc_removed_total', 'What garbage collection removed or set aside.', ['kind']);
  readonly #broughtBack = this.#counter('gc_brought_back_total', 'Objects that it brought back from the trash.');
  readonly #withheld = this.#gauge(
    'gc_withheld_objects',
    'Objects without an item that wait for consent to be set aside.',
  );
  readonly #garbageBytes = this.#counter('gc_removed_bytes_total', 'Bytes of what garbage collection removed.');
  readonly #garbageRuns = this.#counter('gc_runs_total', 'Garbage collections.', ['outcome']);
  readonly #lastGarbage = this.#gauge('gc_last_run_timestamp_seconds', 'When it last ran to its end.');
  readonly #garbageTime = this.#gauge('gc_last_run_duration_seconds', 'How long that run took.');
  readonly #missing = this.#counter('media_missing_total', 'Times that the bytes of an active item were not there.');
  readonly #inspected = this.#counter('media_inspected_total', 'Files of items that were looked at again.', [
    'outcome',
  ]);
  readonly #durations = new Histogram({
    name: 'postshelf_http_request_duration_seconds',
    help: "Seconds until an answer's head.",
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: [this.#registry],
  });

  #inFlight = 0;
  readonly #readPool: () => void;

  constructor(sources: FigureSources) {
    registerWork(this.#registry, sources.work);
    this.#live('imports_unfinished', 'Imports that are not ended yet.', sources, async () => {
      return (await sources.imports()).jobs;
    });
    this.#live('imports_oldest_seconds', 'Age of the oldest of them; 0 without any.', sources, async () => {
      const { oldest } = await sources.imports();
      return oldest === null ? 0 : Math.max(0, (Date.now() - oldest) / 1000);
    });
    this.#live('covers_due', 'Covers that are to be made in the background.', sources, () => sources.coversDue());
    this.#live('fits_due', 'Files that are to be made to fit.', sources, () => sources.fitsDue());
    this.#live('media_uninspected', 'Items whose files are still to be looked at.', sources, () =>
      sources.uninspected(),
    );
    this.#live('disk_free_bytes', 'Free on the disk that media are kept on.', sources, () => sources.freeDisk());
    this.#objectCheck(sources);
    this.#readPool = sources.pool ? this.#pool(sources.pool) : () => undefined;
    this.#live('http_requests_in_flight', "Requests whose answer's head isn't out yet.", sources, () => this.#inFlight);
    this.#build();
    this.#lines(sources);
    // Exported as 0 before the first, so that its first increase is seen.
    for (const outcome of ['failed', 'withheld']) this.#garbageRuns.inc({ outcome }, 0);
    for (const outcome of ['sound', 'damaged', 'missing', 'unreadable']) this.#inspected.inc({ outcome }, 0);
    this.#process(sources);
  }

  /** A request came; {@link answered} follows. */
  came(): void {
    this.#inFlight += 1;
  }

  answered({ method, route, status, seconds, bytesIn }: AnsweredRequest): void {
    const labels = { method: knownMethod(method, 'other'), route: route ?? NO_ROUTE };
    this.#inFlight -= 1;
    this.#requests.inc({ ...labels, status });
    this.#durations.observe(labels, seconds);
    if (bytesIn > 0) this.#bytesIn.inc({ route: labels.route }, bytesIn);
  }

  rateLimited(): void {
    this.#limited.inc();
  }

  closedSilent(count: number): void {
    this.#closed.inc(count);
  }

  importEnded(outcome: string): void {
    this.#imports.inc({ outcome });
  }

  dueCoverEnded(outcome: string): void {
    this.#dueCovers.inc({ outcome });
  }

  previewsEnded(outcome: string): void {
    this.#previews.inc({ outcome });
  }

  fitEnded(outcome: string): void {
    this.#fits.inc({ outcome });
  }

  /** @param seconds how long it took */
  garbageCollected(report: GarbageReport, seconds: number): void {
    for (const [kind, count] of Object.entries(takenAway(report))) this.#garbage.inc({ kind }, count);
    this.#broughtBack.inc(report.restored);
    this.#garbageBytes.inc(report.bytes);
    this.#withheld.set(report.withheld?.orphans ?? 0);
    this.#garbageRuns.inc({ outcome: report.withheld ? 'withheld' : 'done' });
    this.#lastGarbage.setToCurrentTime();
    this.#garbageTime.set(seconds);
  }

  garbageFailed(): void {
    this.#garbageRuns.inc({ outcome: 'failed' });
  }

  mediaInspected(outcome: InspectedItem['outcome']): void {
    this.#inspected.inc({ outcome });
  }

  mediaMissing(): void {
    this.#missing.inc();
  }

  render(): Promise<string> {
    // Before the figures that are queries themselves, or they would be among those that use and wait for connections.
    this.#readPool();
    return this.#registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Counter<Label> {
    return new Counter({ name: `postshelf_${name}`, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `postshelf_${name}`, help, registers: [this.#registry] });
  }

  /** A gauge that is read at each scrape, and left out where it can't be or is null. */
  #live(
    name: string,
    help: string,
    { onError }: Pick<FigureSources, 'onError'>,
    read: () => Promise<number | null> | number | null,
    prefix = 'postshelf_',
  ): void {
    new Gauge({
      name: `${prefix}${name}`,
      help,
      registers: [this.#registry],
      // The library calls it as a method of the gauge.
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

  /** The weekly check of all objects, by any process: what the last one found, and how far this one is. */
  #objectCheck(sources: FigureSources): void {
    const seconds = (time: number | null): number | null => (time === null ? null : time / 1000);
    const figures: readonly (readonly [string, string, (check: ObjectCheck) => number | null])[] = [
      ['started_timestamp_seconds', 'When the pass under way was begun.', (check) => seconds(check.startedAt)],
      ['checked', 'Objects that it has looked at.', (check) => (check.startedAt === null ? null : check.checked)],
      [
        'missing',
        'Those of them that were not there whole.',
        (check) => (check.startedAt === null ? null : check.missing),
      ],
      ['last_finished_timestamp_seconds', 'When the last pass ended.', (check) => seconds(check.finishedAt)],
      [
        'last_checked',
        'Objects that it had looked at.',
        (check) => (check.finishedAt === null ? null : check.lastChecked),
      ],
      [
        'last_missing',
        'Those that were not there whole.',
        (check) => (check.finishedAt === null ? null : check.lastMissing),
      ],
    ];
    for (const [name, help, read] of figures) {
      this.#live(`media_check_${name}`, help, sources, async () => read(await sources.objectCheck()));
    }
  }

  /** 1, always: which program it is stands in the labels, to be joined to other figures. */
  #build(): void {
    const { version, commit } = build();
    new Gauge({
      name: 'postshelf_build_info',
      help: 'The program that runs, by its labels.',
      labelNames: ['version', 'commit'],
      registers: [this.#registry],
    }).set({ version, commit: commit ?? '' }, 1);
  }

  #lines({ droppedLines }: Pick<FigureSources, 'droppedLines'>): void {
    new Counter({
      name: 'postshelf_log_lines_dropped_total',
      help: 'Lines of the log that nobody took.',
      registers: [this.#registry],
      // The library calls it as a method of the counter.
      collect(this: Counter) {
        this.reset();
        this.inc(droppedLines());
      },
    });
  }

  /** Gauges of the pool, and what brings them up to date. */
  #pool(read: () => PoolFigures): () => void {
    const max = this.#gauge('database_connections_max', 'Connections that the pool may open.');
    const open = this.#gauge('database_connections_open', 'Connections of the pool.');
    const idle = this.#gauge('database_connections_idle', 'Those that nobody uses.');
    const waiting = this.#gauge('database_queries_waiting', 'Queries that wait for a connection.');
    return () => {
      const now = read();
      max.set(now.max);
      open.set(now.open);
      idle.set(now.idle);
      waiting.set(now.waiting);
    };
  }

  /**
   * The process, under the names that Prometheus' own clients agree on. Not the library's default metrics: under Bun
   * half of them are zero, and its delay monitor wakes an idle process a hundred times a second.
   */
  #process(sources: FigureSources): void {
    const live = (name: string, help: string, read: () => Promise<number> | number): void =>
      this.#live(name, help, sources, read, 'process_');
    live('resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
    live(
      'start_time_seconds',
      'When the process started, since the epoch.',
      () => Date.now() / 1000 - process.uptime(),
    );
    const maxFds = openFileLimit();
    if (maxFds !== null) live('max_fds', 'Limit of open file descriptors.', () => maxFds);
    if (countOpenFiles() !== null) live('open_fds', 'Open file descriptors.', () => countOpenFiles() ?? 0);
    live('cpu_seconds_total', 'Processor time spent, by user and system.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  }
}
