import { Command, InvalidArgumentError } from 'commander';
import { appendValue } from '../run.ts';
import type { ImportOptions } from './options.ts';

const MAX_CONCURRENCY = 16;

export const importCommand = (): Command =>
  new Command('import')
    .description('import the files of a folder or a bucket through a running service; can be interrupted and repeated')
    .argument('<source>', 'a folder, or s3://bucket/prefix with the SOURCE_S3_ settings; it is only read')
    .option('--workspace <id>', "the workspace to import into; default: the token's only workspace")
    .option(
      '--folders',
      "create the source's folders in the library; otherwise all items are put at the library's root",
    )
    .option('--exclude <glob>', 'skip files whose path or name matches (repeatable)', appendValue, [])
    .option(
      '--report <file>',
      'the CSV file with the outcome of each file; default: postshelf-import-….csv in the current folder',
    )
    .option(
      '--concurrency <number>',
      `number of files sent concurrently, at most ${MAX_CONCURRENCY}`,
      readConcurrency,
      4,
    )
    .option('--dry-run', 'only show what would be imported and what would be refused by type or size; send nothing')
    .option('--json', 'print one JSON object')
    .action(async (source: string, options: ImportOptions) => {
      // Every start of the program loads this file, so the command's implementation is loaded only when it runs.
      const { importFrom } = await import('./import-from.ts');
      await importFrom(source, options);
    });

function readConcurrency(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= MAX_CONCURRENCY) return number;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_CONCURRENCY}.`);
}
