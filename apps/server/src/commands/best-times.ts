import { Command } from 'commander';
import { print, withComposition } from './run.ts';

export function analyticsCommand(): Command {
  const analytics = new Command('analytics').description('maintain the data behind best times');
  analytics
    .command('rebuild')
    .description('recount engagement from the posts; works while the service runs')
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
