import { examine, OwnershipRefused } from '@postshelf/application';
import { type Finding, judgeSettings, problem } from '@postshelf/domain';
import { Command } from 'commander';
import { isJudged, MissingMigration } from '../compose/database.ts';
import { composeDoctor } from '../compose/doctor/doctor.ts';
import { readValidConfig } from '../config/config.ts';
import { reasonOf } from '../http/probes.ts';
import { redact } from '../telemetry/log/redact.ts';
import { describeSettings, warnOfAddress } from '../telemetry/setting-report.ts';
import { wayOutOf } from '../telemetry/system-errors.ts';
import { EXIT } from './exit-codes.ts';
import { print, standardOutput, table } from './print.ts';

/** Maximum milliseconds that a check may take. */
const LIMIT = 10_000;

export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('check settings, database, storage, machine, proxy and backups, and say what to do')
    .option('--json', 'print one JSON object')
    .action(runDoctor);

async function runDoctor({ json }: { readonly json?: boolean }): Promise<void> {
  const { config, errors } = readValidConfig();
  const { differing, mistaken, idle } = describeSettings();
  const address = warnOfAddress(config);
  const doubts = [
    ...mistaken.map(({ name, nearest }) => `${name} is not a setting; did you mean ${nearest}?`),
    ...(idle.length > 0 ? [`${idle.join(', ')}: no effect without S3_BUCKET`] : []),
    ...(address === null ? [] : [address]),
  ];
  const settings = async () => judgeSettings({ errors, doubts, differing: Object.keys(differing) });
  const found = await examine({ settings, ...composeDoctor(config, errors) }, LIMIT, explain);
  const checks = found.map((check) => ({ ...check, found: redact(check.found) }));
  const rows = checks.map(({ name, verdict, found, remedy }) => [
    verdict,
    name,
    [found, remedy].join(remedy ? '. ' : ''),
  ]);
  print(json, { checks }, table(['verdict', 'check', 'found'], rows));
  // `process.exit` closes the connections, and ends checks that exceeded the time limit but are still running.
  const code = checks.some(({ verdict }) => verdict === 'problem') ? EXIT.failed : EXIT.done;
  standardOutput().write('', () => process.exit(code));
}

/** Remedies for a failed check whose error doesn't name one. */
const REMEDIES: Readonly<Record<string, string>> = {
  database: 'Correct DATABASE_URL or DATA_DIR, or start the database.',
  storage: 'Correct DATA_DIR or the S3_ settings, or start the object store.',
  secret: 'Correct JWT_SECRET, or put the file jwt-secret back.',
  ffmpeg: 'Correct FFMPEG_PATH, or install another ffmpeg.',
  bucket: 'Correct the S3_ settings, or start the object store.',
  links: 'Start the service and its proxy, or correct PUBLIC_URL.',
  proxy: 'Start the service and its proxy, or correct PUBLIC_URL.',
  clock: 'See "database" and "storage".',
};

function explain(error: unknown, name: string): Finding {
  const reason = reasonOf(error).replace(/\.$/, '');
  // The messages of these errors already contain the remedy.
  if (error instanceof OwnershipRefused || error instanceof MissingMigration || isJudged(error))
    return problem(reason, null);
  return problem(reason, wayOutOf(error) ?? REMEDIES[name] ?? 'See "database".');
}
