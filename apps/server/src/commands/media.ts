import { examineMedia } from '@postshelf/application';
import type { Uuid } from '@postshelf/domain';
import { Command } from 'commander';
import { count } from './progress.ts';
import { print, withComposition } from './run.ts';

/** `postshelf media …` */
export function mediaCommand(): Command {
  const media = new Command('media').description('look at the files of media items');
  media
    .command('inspect')
    .description('find out what is not known yet of the files of items, as workers do in the background')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const unreadable = new Set<Uuid>();
        let examined = 0;
        const onItem = (_: Uuid, outcome: string): void => {
          if (outcome === 'examined') examined += 1;
        };
        await examineMedia(ports, { signal: new AbortController().signal, unreadable, onItem });
        print(json, { examined, unreadable: [...unreadable] }, [
          `Examined ${count(examined)} items. ${count(unreadable.size)} could not be read; postshelf verify says more.`,
        ]);
      }),
    );
  return media;
}
