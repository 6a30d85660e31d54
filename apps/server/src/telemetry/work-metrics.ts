import type { ShareFigures } from '@postshelf/application';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type FigureSources, liveCounter, liveGauge } from './read-figures.ts';

type Figure = (figures: ShareFigures) => number;

/**
 * Registers metrics of the expensive work, labelled by its kind, but not by workspace. The metrics of uploads are also
 * registered under the names that they had before.
 */
export function registerWork(registry: Registry, sources: Pick<FigureSources, 'work' | 'onError'>): void {
  const { work } = sources;
  const labelled = (name: string, help: string) => ({
    name: `postshelf_${name}`,
    help,
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  // prom-client calls each `collect` as a method of its metric.
  const gauge = (name: string, help: string, of: Figure): void => {
    new Gauge({
      ...labelled(name, help),
      collect() {
        for (const [kind, figures] of work) this.set({ kind }, of(figures()));
      },
    });
  };
  gauge('work_in_use', 'Slots in use, by kind of work.', ({ inUse }) => inUse);
  gauge('work_waiting', 'Callers waiting for a slot, by kind of work.', ({ waiting }) => waiting);
  new Counter({
    ...labelled('work_refused_total', 'Callers that were refused a slot, by kind of work.'),
    collect() {
      this.reset();
      for (const [kind, figures] of work) this.inc({ kind }, figures().refused);
    },
  });
  const uploads = work.get('uploads');
  if (!uploads) return;
  const live = (name: string, help: string, of: Figure): void =>
    liveGauge(registry, name, help, sources, () => of(uploads()));
  live('uploads_running', 'Requests whose files are being received.', ({ inUse }) => inUse);
  live('uploads_waiting', 'Requests that wait for a slot before their files are received.', (of) => of.waiting);
  liveCounter(
    registry,
    'uploads_turned_away_total',
    'Uploads refused because no slot became free.',
    () => uploads().refused,
  );
}
