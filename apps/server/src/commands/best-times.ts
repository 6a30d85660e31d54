import { Command } from 'commander';
import { print, withComposition } from './run.ts';

/** `postshelf analytics …` */
export function analyticsCommand(): Command {
  const analytics = new Command('analytics').description('look after what best times are read from');
  analytics
    .command('rebuild')
    .description('count engagement anew from the posts, while the service runs or not')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const report = await ports.bestTimes.rebuild();
        const { profiles, posts, corrected } = report;
        print(json, report, [`Counted ${posts} posts of ${profiles} profiles; ${corrected} days were wrong.`]);
      }),
    );
  return analytics;
}
