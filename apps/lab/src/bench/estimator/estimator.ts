import { Random } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { ESTIMATORS, know } from './estimators.ts';
import { rankCorrelation, regret } from './scoring.ts';
import { makePosts, WORLDS } from './world.ts';

/** Cases: posts of a profile, and the kind of curves. */
const CASES: readonly (readonly [posts: number, world: keyof typeof WORLDS])[] = [
  ...[20, 50, 200, 500, 2000].map((posts) => [posts, 'days alike'] as const),
  ...[200, 2000].map((posts) => [posts, 'days apart'] as const),
  ...[200, 2000].map((posts) => [posts, 'lone hours'] as const),
];
const PROFILES = 400;

export const estimator: Benchmark = {
  about:
    `${PROFILES} made-up profiles for each number of posts, each with a weekly curve of its own of what an hour is worth ` +
    '(smooth, days alike; smooth, days apart; flat but for lone hours), habits (two posts of three at a few fixed times, the ' +
    'others by day) and luck with a long tail (log-normal, one post in fifty viral). Correlation: Spearman, of all 168 ' +
    "hours, 1 is the true order. Regret: how much of the best hour's worth is lost at the hour that the estimate calls " +
    'best. Medians over the same profiles for all.',

  async run(progress) {
    const figures: Figure[] = [];
    for (const [posts, world] of CASES) {
      progress(`${posts} posts, ${world}`);
      const scores = new Map(Object.keys(ESTIMATORS).map((name) => [name, { correlation: [], regret: [] } as Scores]));
      for (let seed = 1; seed <= PROFILES; seed++) {
        const random = new Random(seed * 7919 + posts);
        const curve = WORLDS[world](random);
        const known = know(makePosts(random, curve, posts));
        for (const [name, estimate] of Object.entries(ESTIMATORS)) {
          const found = estimate(known);
          scores.get(name)?.correlation.push(rankCorrelation(found, curve));
          scores.get(name)?.regret.push(regret(found, curve));
        }
      }
      for (const measure of ['correlation', 'regret'] as const)
        for (const [name, values] of scores)
          figures.push(figure(`${measure}, ${world}, ${posts} posts: ${name}`, values[measure]));
    }
    return figures;
  },
};

interface Scores {
  readonly correlation: number[];
  readonly regret: number[];
}

const figure = (what: string, values: readonly number[]): Figure => ({
  what,
  value: spreadOf(values).median,
  unit: '',
});
