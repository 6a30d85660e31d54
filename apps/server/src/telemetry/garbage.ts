import type { GarbageReport } from '@postshelf/application';
import { describeWithheld } from '@postshelf/domain';

/** What a collection took away, by kind: the words of the log, of `--json` and of the metrics. */
export const takenAway = ({ staged, setAside, trash, unconfirmed, uploads }: GarbageReport) => ({
  staged,
  set_aside: setAside,
  trash,
  unconfirmed,
  uploads,
});

/** The whole report for the log and `--json`. */
export const showReport = (report: GarbageReport) => ({
  ...takenAway(report),
  brought_back: report.broughtBack,
  bytes: report.bytes,
  withheld: showWithheld(report),
});

/** Why objects without an item were left where they are, and how many; null where they weren't. */
export const showWithheld = ({ withheld }: Pick<GarbageReport, 'withheld'>) =>
  withheld && {
    reason: withheld.reason,
    objects: withheld.orphans,
    of: withheld.objects,
    message: describeWithheld(withheld),
  };
