import type { GarbageReport, InspectedItem } from '@postshelf/application';
import type { PoolFigures } from '@postshelf/database';
import type { JobKind } from '@postshelf/domain';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { removedByKind } from './garbage.ts';
import { registerJobs } from './job-metrics.ts';
import { knownMethod } from './known-method.ts';
import {
  ageOf,
  type FigureSources,
  liveCounter,
  liveGauge,
  registerBuild,
  registerCare,
  registerObjectCheck,
  registerProcess,
} from './read-figures.ts';
import { registerWork } from './work-metrics.ts';

export interface AnsweredRequest {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  readonly bytesIn: number;
}

/** Buckets in seconds: small reads take a millisecond, uploads take minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];

/** The route label of requests that matched no route, so that clients can't create series with arbitrary paths. */
const NO_ROUTE = 'none';

/** The process's metrics in Prometheus' text format. Dashboards rely on the names of the metrics. */
export class Metrics {
  /** A separate registry, because all instances in a process would share prom-client's global one. */
  readonly #registry = new Registry();
  readonly contentType = this.#registry.contentType;
  readonly #requests = this.#counter('http_requests_total', 'Requests answered.', ['method', 'route', 'status']);
  readonly #bytesIn = this.#counter('http_request_body_bytes_total', 'Bytes of request bodies read.', ['route']);
  readonly #limited = this.#counter('rate_limited_total', 'Operations refused by the rate limit.');
  readonly #closed = this.#counter(
    'connections_closed_early_total',
    'Idle connections closed because few file descriptors were left.',
  );
  readonly #jobs = this.#counter('jobs_total', 'Attempts to run jobs, by kind and outcome.', ['kind', 'outcome']);
  readonly #garbage = this.#counter(
    'gc_removed_total',
    'Objects and files removed or moved to the trash by garbage collection.',
    ['kind'],
  );
  readonly #restored = this.#counter('gc_restored_total', 'Objects restored from the trash by garbage collection.');
  readonly #withheld = this.#gauge(
    'gc_withheld_objects',
    'Objects without an item that are kept until an operator consents to moving them to the trash.',
  );
  readonly #garbageBytes = this.#counter('gc_removed_bytes_total', 'Bytes removed by garbage collection.');
  readonly #garbageRuns = this.#counter('gc_runs_total', 'Runs of garbage collection.', ['outcome']);
  readonly #lastGarbage = this.#gauge(
    'gc_last_run_timestamp_seconds',
    'End of the last complete garbage collection, in seconds since the epoch.',
  );
  readonly #garbageTime = this.#gauge(
    'gc_last_run_duration_seconds',
    'Duration of the last completed garbage collection.',
  );
  readonly #missing = this.#counter(
    'media_missing_total',
    'Number of times that the object of an active item was found missing.',
  );
  readonly #inspected = this.#counter('media_inspected_total', 'Stored files that were inspected again, by outcome.', [
    'outcome',
  ]);
  readonly #durations = new Histogram({
    name: 'postshelf_http_request_duration_seconds',
    help: 'Seconds until the head of the response was sent.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: [this.#registry],
  });

  #inFlight = 0;
  readonly #readPool: () => void;

  constructor(sources: FigureSources) {
    registerWork(this.#registry, sources);
    registerJobs(this.#registry, sources);
    liveGauge(
      this.#registry,
      'webhook_deliveries_pending',
      'Webhook deliveries that have neither succeeded nor failed permanently.',
      sources,
      async () => (await sources.deliveries()).pending,
    );
    liveGauge(
      this.#registry,
      'webhook_oldest_pending_seconds',
      'Age of the oldest pending webhook delivery; 0 if there is none.',
      sources,
      async () => ageOf((await sources.deliveries()).oldest),
    );
    liveGauge(this.#registry, 'media_uninspected', 'Items whose files have not been inspected yet.', sources, () =>
      sources.uninspected(),
    );
    liveGauge(this.#registry, 'disk_free_bytes', 'Free bytes on the disk that holds the media.', sources, () =>
      sources.freeDisk(),
    );
    liveGauge(
      this.#registry,
      'deletions_oldest_seconds',
      'Age of the oldest deletion whose object has not been destroyed yet; 0 if there is none.',
      sources,
      async () => ageOf(await sources.oldestDeletion()),
    );
    registerObjectCheck(this.#registry, sources);
    registerCare(this.#registry, sources);
    this.#readPool = sources.pool ? this.#pool(sources.pool) : () => undefined;
    liveGauge(
      this.#registry,
      'http_requests_in_flight',
      'Requests whose response has not started.',
      sources,
      () => this.#inFlight,
    );
    registerBuild(this.#registry);
    liveCounter(
      this.#registry,
      'log_lines_dropped_total',
      'Log lines dropped because they were not read in time.',
      () => sources.droppedLines(),
    );
    liveGauge(
      this.#registry,
      'read_only',
      '1 if nothing is written because the database is a copy or was moved, otherwise 0.',
      sources,
      () => (sources.isReadOnly() ? 1 : 0),
    );
    // These counters are exported as 0 from the start, so that the first increase is visible.
    for (const outcome of ['failed', 'withheld']) this.#garbageRuns.inc({ outcome }, 0);
    for (const outcome of ['sound', 'damaged', 'missing', 'unreadable']) this.#inspected.inc({ outcome }, 0);
    registerProcess(this.#registry, sources);
  }

  came(): void {
    this.#inFlight += 1;
  }

  get inFlight(): number {
    return this.#inFlight;
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

  closedEarly(count: number): void {
    this.#closed.inc(count);
  }

  jobEnded(kind: JobKind, outcome: string): void {
    this.#jobs.inc({ kind, outcome });
  }

  garbageCollected(report: GarbageReport, seconds: number): void {
    for (const [kind, count] of Object.entries(removedByKind(report))) this.#garbage.inc({ kind }, count);
    this.#restored.inc(report.restored);
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
    // The pool is read first. Some of the other metrics come from queries, which themselves use connections of the
    // pool.
    this.#readPool();
    return this.#registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Counter<Label> {
    return new Counter({ name: `postshelf_${name}`, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `postshelf_${name}`, help, registers: [this.#registry] });
  }

  #pool(read: () => PoolFigures): () => void {
    const max = this.#gauge('database_connections_max', 'Connections that the pool may open.');
    const open = this.#gauge('database_connections_open', 'Open connections of the pool.');
    const idle = this.#gauge('database_connections_idle', 'Idle connections of the pool.');
    const waiting = this.#gauge('database_queries_waiting', 'Queries waiting for a connection.');
    return () => {
      const now = read();
      max.set(now.max);
      open.set(now.open);
      idle.set(now.idle);
      waiting.set(now.waiting);
    };
  }
}
