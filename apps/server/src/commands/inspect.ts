import { setTimeout as delay } from 'node:timers/promises';
import { countUninspected, type InspectedItem, inspectAgain } from '@postshelf/application';
import { Command } from 'commander';
import { print, standardOutput } from './print.ts';
import { count, reportPeriodically } from './progress.ts';
import { CommandError, withComposition } from './run.ts';

interface JsonOption {
  readonly json?: boolean;
}

export const mediaInspectCommand = (): Command =>
  new Command('inspect')
    .description(
      'inspect files that were stored without recording their details; the service also does this in the background',
    )
    .option('--json', 'print one JSON object')
    .action(inspect);

async function inspect({ json }: JsonOption): Promise<void> {
  await withComposition(async ({ ports }) => {
    const found = { sound: 0, damaged: 0, missing: 0, unreadable: 0 };
    const show = progress(await countUninspected(ports));
    const outcome = await inspectAgain(ports, {
      signal: new AbortController().signal,
      wait: delay,
      random: Math.random,
      onInspected(item) {
        found[item.outcome] += 1;
        show();
        if (item.outcome !== 'sound' && !json) standardOutput().write(describe(item));
      },
    });
    const inspected = Object.values(found).reduce((sum, each) => sum + each, 0);
    const left = await countUninspected(ports);
    const figures = { inspected, ...found, left };
    if (outcome !== 'finished')
      throw new CommandError(`The storage cannot be reached; not inspected: ${count(left, 'file')}.`, figures);
    const { damaged, missing, unreadable } = found;
    print(json, figures, [
      `Inspected ${count(inspected, 'file')}: ${count(damaged)} damaged, ${count(missing)} missing, ${count(unreadable)} unreadable.`,
      `${count(left)} are left.`,
    ]);
  });
}

const describe = ({ id, outcome }: InspectedItem): string => `${id}  ${outcome}\n`;

/** Returns a function that reports progress. @param all the number of files at the start */
function progress(all: number): () => void {
  const report = reportPeriodically();
  let done = 0;
  return () => {
    done += 1;
    report(() => `${count(done)} of ${count(Math.max(all, done))} files so far`);
  };
}
