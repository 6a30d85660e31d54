import { Command, InvalidArgumentError } from 'commander';
import { appendValue } from '../run.ts';
import type { ImportOptions } from './options.ts';

const MOST_AT_ONCE = 16;

export const importCommand = (): Command =>
  new Command('import')
    .description('take in the files of a folder or a bucket as items, by a running service; can be killed and repeated')
    .argument('<source>', 'a folder, or s3://bucket/prefix by the SOURCE_S3_ settings; it is only read')
    .option('--workspace <id>', "where to; default: the token's only workspace")
    .option('--folders', "make the source's folders; otherwise all items are at the root of the library")
    .option('--exclude <glob>', 'leave out what matches, by path or by name (repeatable)', appendValue, [])
    .option('--report <file>', 'the CSV of what became of each file; default: postshelf-import-….csv, here')
    .option('--concurrency <number>', `files at once, at most ${MOST_AT_ONCE}`, atOnce, 4)
    .option('--dry-run', 'say what would be taken in and what would be refused by type or size, and send nothing')
    .option('--json', 'print one JSON object')
    .action(async (source: string, options: ImportOptions) => {
      // The module is loaded when it is needed, because every start of the program loads the definitions of all
      // commands.
      const { importFrom } = await import('./import-from.ts');
      await importFrom(source, options);
    });

function atOnce(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= MOST_AT_ONCE) return number;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_AT_ONCE}.`);
}
