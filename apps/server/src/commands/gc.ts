import { collectGarbage, finishRemovals, GARBAGE_AGE } from '@postshelf/application';
import { invalid } from '@postshelf/domain';
import { Command } from 'commander';
import ms from 'ms';
import { timed } from '../timed.ts';
import { print, withComposition } from './run.ts';

interface GcOptions {
  readonly olderThan: string;
  readonly json?: boolean;
}

/** `postshelf gc` */
export function gcCommand(): Command {
  return new Command('gc')
    .description('remove what crashed requests and unconfirmed uploads left')
    .option(
      '--older-than <time>',
      "age of what the storage can't tell an owner of; less only while no process of Postshelf runs",
      ms(GARBAGE_AGE),
    )
    .option('--json', 'print one JSON object')
    .action(collect);
}

async function collect({ olderThan, json }: GcOptions): Promise<void> {
  const age = readAge(olderThan);
  await withComposition(async ({ ports }) => {
    await finishRemovals(ports, () => undefined);
    const { result: report, seconds } = await timed(() => collectGarbage(ports, age));
    const { staged, objects, unconfirmed, uploads, bytes } = report;
    print(json, { ...report, seconds }, [
      `Removed ${staged} staged uploads and ${objects} objects without an item.`,
      `Removed ${unconfirmed} presigned uploads that nobody confirmed, and ${uploads} files that nobody waits for.`,
      `That freed ${bytes} bytes in ${seconds} seconds.`,
    ]);
  });
}

/** Milliseconds. @throws Refusal for what is no time */
function readAge(text: string): number {
  const age = /^\d+\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
  if (age === undefined) throw invalid('older_than', `--older-than ${text} is no time such as 0s or 24h.`);
  return age;
}
