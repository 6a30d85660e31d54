import type { GarbageReport } from '@postshelf/application';
import { describeWithheld } from '@postshelf/domain';

/** Returns the counts by kind, under their names in the log, `--json` and the metrics. */
export const removedByKind = ({ staged, trashed, trash, unconfirmed, uploads, previews }: GarbageReport) => ({
  staged,
  trashed,
  trash,
  unconfirmed,
  uploads,
  previews,
});

/** Returns the counts of a whole report, for the log and `--json`. */
export const showReport = (report: GarbageReport) => ({
  ...removedByKind(report),
  restored: report.restored,
  bytes: report.bytes,
  withheld: report.withheld?.orphans ?? 0,
});

/**
 * Returns why objects without an item were left in place, and how many there are; null if no objects were left in
 * place.
 */
export const showReason = ({ withheld }: Pick<GarbageReport, 'withheld'>) =>
  withheld && { reason: withheld.reason, message: describeWithheld(withheld) };

/** Runs a function. Returns its result, and its duration in seconds rounded to milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: Math.round(performance.now() - start) / 1000 };
}
