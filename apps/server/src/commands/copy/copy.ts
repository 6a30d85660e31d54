import { invalid } from '@postshelf/domain';
import { Command } from 'commander';
import { readConfig, readConfigWith } from '../../config/config.ts';

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
  readonly fromFiles?: string;
  /** true if given without the name of a bucket. */
  readonly toS3?: string | true;
  readonly hashes: boolean;
  readonly json?: boolean;
}

/** `postshelf copy` */
export const copyCommand = (): Command =>
  new Command('copy')
    .description('move house: copy the database to another one, or media from files to a bucket, and compare the two')
    .option('--from <url>', 'a database: sqlite:/path/to/file.db or postgres://user:password@host:port/database')
    .option('--to <url>', 'where it goes: a database without a row, or a copy that was begun')
    .option('--from-files <dir>', "the folder of media: DATA_DIR/media, for the rows in the settings' database")
    .option('--to-s3 [bucket]', 'where they go: this bucket, or that of S3_BUCKET; the other S3_ settings say how')
    .option('--no-hashes', 'of media: compare sizes alone, and read nothing back from the bucket')
    .option('--json', 'print one JSON object')
    .action(copy);

async function copy({ from, to, fromFiles, toS3, hashes, json = false }: CopyOptions): Promise<void> {
  const isOfRows = from !== undefined || to !== undefined;
  const isOfFiles = fromFiles !== undefined || toS3 !== undefined;
  if (from !== undefined && to !== undefined && !isOfFiles) {
    if (!hashes) throw invalid('hashes', '--no-hashes is for media: rows are always compared whole.');
    // Both are loaded when used, as every start of the program loads the definitions of all commands.
    const { copyRows } = await import('./copy-rows.ts');
    await copyRows(readConfig(), from, to, json);
  } else if (fromFiles !== undefined && toS3 !== undefined && !isOfRows) {
    const config = toS3 === true ? readConfig() : readConfigWith({ S3_BUCKET: toS3 });
    const { copyFiles } = await import('./copy-files.ts');
    await copyFiles(config, fromFiles, hashes, json);
  } else {
    throw invalid('from', 'Say what to copy: --from URL --to URL, or --from-files DIR --to-s3.');
  }
}
