import { invalid } from '@postshelf/domain';
import { Command } from 'commander';
import { readConfig, readConfigWith } from '../../config/config.ts';

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
  readonly fromFiles?: string;
  readonly toS3?: string | true;
  readonly hashes: boolean;
  readonly json?: boolean;
}

export const copyCommand = (): Command =>
  new Command('copy')
    .description('copy the database to another one, or media from files to a bucket, and compare source and target')
    .option('--from <url>', 'a database: sqlite:/path/to/file.db or postgres://user:password@host:port/database')
    .option('--to <url>', 'the target: an empty database, or an unfinished copy')
    .option('--from-files <dir>', 'the folder of media (DATA_DIR/media) whose rows are in the configured database')
    .option('--to-s3 [bucket]', 'the target: this bucket, or S3_BUCKET if none is named; the other S3_ settings apply')
    .option('--no-hashes', 'for media: compare only sizes, without reading objects back from the bucket')
    .option('--json', 'print one JSON object')
    .action(copy);

async function copy({ from, to, fromFiles, toS3, hashes, json = false }: CopyOptions): Promise<void> {
  const isOfRows = from !== undefined || to !== undefined;
  const isOfFiles = fromFiles !== undefined || toS3 !== undefined;
  if (from !== undefined && to !== undefined && !isOfFiles) {
    if (!hashes) throw invalid('hashes', '--no-hashes is for media: rows are always compared whole.');
    // Every start of the program loads this file, so the command's implementation is loaded only when it runs.
    const { copyRows } = await import('./copy-rows.ts');
    await copyRows(readConfig(), from, to, json);
  } else if (fromFiles !== undefined && toS3 !== undefined && !isOfRows) {
    const config = toS3 === true ? readConfig() : readConfigWith({ S3_BUCKET: toS3 });
    const { copyFiles } = await import('./copy-files.ts');
    await copyFiles(config, fromFiles, hashes, json);
  } else {
    throw invalid('from', 'Specify what to copy: --from URL --to URL, or --from-files DIR --to-s3.');
  }
}
