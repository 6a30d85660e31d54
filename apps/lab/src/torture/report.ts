import type { Tally } from './load/requester.ts';

/** The result of a run, as stored in a JSON file and shown in tables. */
export interface Report {
  readonly deployment: string;
  readonly about: string;
  readonly command: string;
  readonly seed: number;
  /** The time when the run started (RFC 3339). */
  readonly date: string;
  readonly machine: string;
  /** Number of kills, each followed by a restart and a check. */
  readonly rounds: number;
  /** Number of kills before the server answered for the first time. */
  readonly killedAtStart: number;
  readonly fullChecks: number;
  readonly seconds: number;
  /** Number of jobs that were running at a kill, by kind. */
  readonly killedJobs: Readonly<Record<string, number>>;
  /** Numbers of answers by kind of request. */
  readonly requests: Readonly<Record<string, Tally>>;
  /**
   * The number of items that were checked over HTTP, the number of bytes of their files that were hashed, and the
   * number of objects that were read from the storage itself.
   */
  readonly checked: { readonly items: number; readonly bytes: number; readonly objects: number };
  /** Maximum number of bytes that had to be sent again after a resumable upload was interrupted. */
  readonly mostSentTwice: number;
  readonly violation: { readonly what: string; readonly facts: unknown; readonly kept: string } | null;
}

/** Formats the report as tables in Markdown. */
export function tableOf(report: Report): string {
  const { requests, checked, violation } = report;
  const all = Object.entries(requests);
  const rows = all.map(([kind, { acknowledged, refused, unanswered }]) => {
    return `| ${kind} | ${count(acknowledged)} | ${count(unanswered)} | ${count(refused)} |`;
  });
  const kinds = Object.entries(report.killedJobs).map(([kind, killed]) => `${kind} ${count(killed)}`);
  const unanswered = all.reduce((sum, [, tally]) => sum + tally.unanswered, 0);
  return [
    `## ${report.deployment}: ${report.about}`,
    '',
    `\`${report.command}\` on ${report.date.slice(0, 10)}, seed ${report.seed}; ${report.machine}`,
    '',
    '| request | acknowledged | without an answer | refused after a race |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `${count(report.rounds)} kills (${count(report.killedAtStart)} of them during a start) in ${count(report.seconds)} seconds, ` +
      `${count(unanswered)} requests without an answer; ${count(checked.items)} checks of items, ` +
      `${count(Math.round(checked.bytes / 1e6))} MB hashed, ${count(report.fullChecks)} full checks with ` +
      `${count(checked.objects)} objects read from the storage. Of a cut resumable upload at most ` +
      `${(report.mostSentTwice / 1e6).toFixed(1)} MB had to be sent again.`,
    '',
    `Killed under way: ${kinds.join(', ')}.`,
    '',
    violation ? `**Violation: ${violation.what}** Kept: ${violation.kept}` : 'No violation.',
    '',
  ].join('\n');
}

const count = (value: number): string => value.toLocaleString('en-US');
