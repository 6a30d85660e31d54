import type { BucketRule, RuleOutcome } from '@postshelf/storage/s3';
import { Command } from 'commander';
import { composeBucketSetup, pageOrigins } from '../../compose/storage/s3.ts';
import { readConfig } from '../../config/config.ts';
import { print } from '../print.ts';
import { adopt } from './adopt.ts';

interface SetupOptions {
  readonly createBucket?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function storageCommand(): Command {
  const storage = new Command('storage').description('set up or adopt the storage of media');
  storage
    .command('setup')
    .description(
      "set the bucket's lifecycle rule, and its CORS rule for the web app and CORS_ORIGINS; other rules stay",
    )
    .option('--create-bucket', "create the bucket first if it doesn't exist")
    .option('--dry-run', 'only print what would be applied')
    .option('--json', 'print one JSON object')
    .action(setUp);
  storage
    .command('adopt')
    .description('show the effects of using this storage for the media of the database; with --yes, adopt it')
    .option('--yes', 'adopt the storage')
    .option('--json', 'print one JSON object')
    .action(adopt);
  return storage;
}

async function setUp({ createBucket = false, dryRun = false, json }: SetupOptions): Promise<void> {
  const config = readConfig();
  const setup = await composeBucketSetup(config);
  if (!setup) {
    print(json, { storage: 'files', dry_run: dryRun, rules: [] }, [
      `There is nothing to set up: media are kept in ${config.dataDir}. (A bucket is set up once S3_BUCKET is set.)`,
    ]);
    return;
  }
  try {
    const rules = await setup.apply({ origins: pageOrigins(config), create: createBucket, dryRun });
    const shown = { storage: 's3', dry_run: dryRun, rules: rules.map(show) };
    print(json, shown, [`In ${setup.place}:`, ...rules.flatMap(describe), ...rules.flatMap(warn)]);
  } finally {
    setup.close();
  }
}

const show = ({ name, rule, result, harmful }: BucketRule) => ({
  name,
  outcome: result.outcome,
  reason: 'reason' in result ? result.reason : null,
  rule,
  harmful,
});

const TITLES = { cors: 'CORS rule', lifecycle: 'Lifecycle rule' } as const satisfies Record<BucketRule['name'], string>;

const MADE: Readonly<Record<Exclude<RuleOutcome, { reason: string }>['outcome'], string>> = {
  unchanged: 'already there',
  applied: 'applied',
  planned: 'would be applied',
  not_wanted: 'not applied, because neither CORS_ORIGINS nor PUBLIC_URL is set',
};

/** Returns a line about a rule. If the rule is only planned, or couldn't be applied, a second line has it in JSON. */
function describe({ name, purpose, rule, result }: BucketRule): string[] {
  const title = TITLES[name];
  if (!('reason' in result)) {
    const line = `${title}: ${MADE[result.outcome]}; ${purpose}.`;
    return result.outcome === 'planned' ? [line, `  ${JSON.stringify(rule)}`] : [line];
  }
  const line = `${title}: not applied, ${result.reason}. By hand (docs/operating/bucket.md), so that ${purpose}:`;
  return [line, `  ${JSON.stringify(rule)}`];
}

const warn = ({ harmful }: BucketRule): string[] => harmful.map((phrase) => `Remove or change it: ${phrase}.`);
