import { JOB_KINDS, type JobFigures } from '@postshelf/domain';
import { Gauge, type Registry } from 'prom-client';
import { ageOf, type FigureSources } from './read-figures.ts';

type Figure = (figures: JobFigures) => number;

/**
 * Registers metrics of all the library's jobs, labelled by kind. If the jobs can't be read, the metrics are omitted.
 */
export function registerJobs(registry: Registry, { jobs, onError }: Pick<FigureSources, 'jobs' | 'onError'>): void {
  let reading: ReturnType<FigureSources['jobs']> | null = null;
  /** Reads the jobs once for all gauges of a scrape. */
  const read: FigureSources['jobs'] = () => {
    reading ??= jobs().finally(() => {
      reading = null;
    });
    return reading;
  };
  const register = (name: string, help: string, of: Figure): void => {
    new Gauge({
      name: `postshelf_${name}`,
      help,
      labelNames: ['kind'],
      registers: [registry],
      // prom-client calls the function as a method of the gauge.
      async collect(this: Gauge<'kind'>) {
        this.reset();
        try {
          const figures = await read();
          for (const kind of JOB_KINDS) {
            const found = figures.get(kind);
            if (found) this.set({ kind }, of(found));
          }
        } catch (cause) {
          onError(name, cause);
        }
      },
    });
  };
  register('jobs_waiting', 'Jobs that wait for a slot or until they are due, by kind.', ({ waiting }) => waiting);
  register('jobs_running', 'Jobs that a process is working on, by kind.', ({ running }) => running);
  register(
    'jobs_retried',
    'Waiting or running jobs that were tried or interrupted before, by kind.',
    (of) => of.retried,
  );
  register('jobs_failed', 'Jobs that failed permanently and are kept for operators, by kind.', ({ failed }) => failed);
  register('jobs_oldest_seconds', 'Age of the oldest job that has not failed, by kind; 0 if there is none.', (of) =>
    ageOf(of.oldest),
  );
}
