import { isatty } from 'node:tty';
import { type BackUpReport, backUp, type ObjectProblem, pruneBackups } from '@postshelf/application';
import { BackupError, inMegabytes, invalid, isDated } from '@postshelf/domain';
import { Command } from 'commander';
import { version } from '../../../package.json';
import { digest, loadBackupTools } from '../../compose/backup.ts';
import { knownJwtSecret } from '../../compose/host/secret-file.ts';
import { verifySecret } from '../../compose/library-secret.ts';
import { composeForReading } from '../../compose/read-only-disk.ts';
import { print, standardOutput } from '../print.ts';
import { problemTable } from '../problem-table.ts';
import { count, showProgress } from '../progress.ts';
import { noteRun, withComposition } from '../run.ts';

interface BackupOptions {
  readonly withMedia?: boolean;
  readonly keep?: string;
  readonly smaller?: boolean;
  readonly replace?: boolean;
  readonly json?: boolean;
}

export const backupCommand = (): Command =>
  new Command('backup')
    .description('write the database and a list of all objects to a file, while the service runs')
    .argument(
      '<file>',
      "the tar file to write; '{date}' in its name becomes the time; an existing file is replaced only by a complete one; - is standard output",
    )
    .option('--with-media', 'include the objects themselves')
    .option(
      '--keep <number>',
      'with {date} in the name: keep this many backups and remove older ones, once the new one is complete',
    )
    .option('--smaller', 'write the backup even if the library is much smaller than in the previous backup')
    .option('--replace', 'overwrite the file even if it is not a backup')
    .option('--json', 'print one JSON object')
    .action(takeBackup);

const STDOUT = 1;

async function takeBackup(file: string, options: BackupOptions): Promise<void> {
  const { json, withMedia = false } = options;
  const keep = readKeep(file, options.keep);
  // With `-`, the backup is written to standard output, so the result is printed to standard error.
  const to = file === '-' ? process.stderr : standardOutput();
  if (file === '-' && isatty(STDOUT)) throw new BackupError('Standard output is a terminal. Use: backup - > FILE');
  await withComposition(async ({ ports, database, folder }, config) => {
    const { backups } = database;
    if (backups === null)
      throw new BackupError(
        'DATABASE_URL: back up PostgreSQL with its own tools (pg_dump), and the media with the tools of their storage.',
      );
    const secret = config.jwtSecret === null ? await knownJwtSecret(config.dataDir) : null;
    const lack = await verifySecret(config, ports.library);
    if (lack !== null) process.stderr.write(`postshelf: The backup lacks the right secret. ${lack}\n`);
    const tools = await loadBackupTools();
    const place =
      file === '-'
        ? tools.openStreamDestination(STDOUT, 'Standard output', folder)
        : await tools.openFileDestination(file, ports.clock.now());
    const problems = problemTable<ObjectProblem>(json, { to });
    const report = await backUp({ ...ports, backups, digest }, place, {
      withMedia,
      secret: secret === null ? null : new TextEncoder().encode(secret),
      program: version,
      consent: { smaller: options.smaller === true, replace: options.replace === true },
      onProblem: problems.add,
      onProgress: showProgress(),
    });
    if (report.outcome === 'whole') await noteRun(ports, { backedUpAt: Date.parse(report.summary.made_at) });
    const removed: string[] = [];
    try {
      if (keep !== null) await pruneBackups(place, report.outcome, report.path, keep, (path) => removed.push(path));
    } finally {
      const { summary, outcome, path } = report;
      const result = { file: path, complete: outcome === 'whole', ...summary, problems: problems.all, removed };
      print(json, result, [...describe(report, withMedia), ...removed.map((old) => `Removed ${old}.`)], to);
    }
    problems.conclude();
  }, composeForReading);
}

/**
 * Reads the number of backups to keep.
 *
 * @throws Refusal if the number is invalid, or the backup's file name has no `{date}`
 */
function readKeep(file: string, keep: string | undefined): number | null {
  if (keep === undefined) return null;
  if (!/^[1-9]\d{0,5}$/.test(keep)) throw invalid('keep', `--keep ${keep} is not a number of backups such as 14.`);
  if (!isDated(file))
    throw invalid('keep', "--keep is for backups with names of their own, such as 'postshelf-{date}.tar'.");
  return Number(keep);
}

function describe({ summary, outcome, path }: BackUpReport, withMedia: boolean): string[] {
  const { objects } = summary;
  const media = `${count(objects.count, 'object')} (${inMegabytes(objects.bytes)}) ${withMedia ? 'included' : 'listed, not included'}`;
  if (outcome === 'whole') return [`Wrote ${path ?? 'standard output'}: the database, and ${media}.`];
  const damaged = `${count(objects.problems)} of ${count(objects.count)} objects are missing or damaged`;
  return path === null
    ? [`What was sent to standard output is incomplete, and restore refuses it: ${damaged}.`]
    : [`Wrote ${path}, which is incomplete: ${damaged}. No complete backup was replaced or removed.`];
}
