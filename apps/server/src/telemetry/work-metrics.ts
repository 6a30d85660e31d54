import type { ShareFigures } from '@postshelf/application';
import type { WorkKind } from '@postshelf/domain';
import { Counter, Gauge, type Registry } from 'prom-client';

/** The metrics of a process by kind of work. */
export type WorkFigures = ReadonlyMap<WorkKind, () => ShareFigures>;

/**
 * Registers metrics of the expensive work, labelled by its kind, but not by workspace. The metrics of uploads are also
 * registered under the names that they had before.
 */
export function registerWork(registry: Registry, work: WorkFigures): void {
  const registers = [registry];
  const labelNames = ['kind'] as const;
  // prom-client calls each `collect` as a method of its metric.
  new Gauge({
    name: 'postshelf_work_in_use',
    help: 'Slots in use, by kind of work.',
    labelNames,
    registers,
    collect() {
      for (const [kind, figures] of work) this.set({ kind }, figures().inUse);
    },
  });
  new Gauge({
    name: 'postshelf_work_waiting',
    help: 'Callers waiting for a slot, by kind of work.',
    labelNames,
    registers,
    collect() {
      for (const [kind, figures] of work) this.set({ kind }, figures().waiting);
    },
  });
  new Counter({
    name: 'postshelf_work_refused_total',
    help: 'Callers that were refused a slot, by kind of work.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [kind, figures] of work) this.inc({ kind }, figures().refused);
    },
  });
  const uploads = work.get('uploads');
  if (uploads) registerUploads(registry, uploads);
}

function registerUploads(registry: Registry, figures: () => ShareFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'postshelf_uploads_running',
    help: 'Requests whose files are being received.',
    registers,
    collect() {
      this.set(figures().inUse);
    },
  });
  new Gauge({
    name: 'postshelf_uploads_waiting',
    help: 'Requests that wait for a slot before their files are received.',
    registers,
    collect() {
      this.set(figures().waiting);
    },
  });
  new Counter({
    name: 'postshelf_uploads_turned_away_total',
    help: 'Uploads refused because no slot became free.',
    registers,
    collect() {
      this.reset();
      this.inc(figures().refused);
    },
  });
}
