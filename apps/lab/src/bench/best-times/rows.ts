import type { Kind } from './worlds.ts';

export interface Row extends Kind {
  /** Maximum share of the possible gain that suggestions may miss. */
  readonly regret: number;
}

const row = (
  effect: Kind['effect'],
  size: number,
  habit: Kind['habit'],
  posts: number,
  noise: Kind['noise'],
  regret: number,
): Row => ({ effect, size, habit, posts, noise, regret });

/** Worlds in which the hour of a post matters. */
export const ROWS: readonly Row[] = [
  row('runs6', 3, 'U', 500, 0.6, 0.23),
  row('runs6', 2, 'U', 500, 0.6, 0.53),
  row('runs6', 2, 'U', 2000, 0.6, 0.07),
  row('runs6', 1.5, 'U', 500, 0.3, 0.4),
  row('runs6', 3, 'R', 50, 0.6, 0.79),
  row('lone5', 3, 'U', 500, 0.6, 0.42),
  row('lone5', 3, 'R', 200, 0.3, 0.39),
  row('hours3', 1.3, 'R', 200, 0.3, 0.18),
  row('hours3', 1.3, 'R', 500, 0.6, 0.34),
  row('smooth', 1.15, 'R', 500, 0.3, 0.38),
  row('smooth', 1.3, 'R', 200, 0.6, 0.55),
  row('smooth', 1.3, 'R', 2000, 0.6, 0.23),
  row('smooth', 1.6, 'R', 50, 0.6, 0.56),
  row('smooth', 1.6, 'R', 500, 1, 0.36),
  row('smooth', 1.6, 'R', 500, 'small counts', 0.34),
  row('smooth', 1.6, 'R', 500, '30 % zeros', 0.37),
  row('smooth', 1.6, 'R', 500, '1 % viral', 0.3),
  row('smooth', 1.6, 'R', 500, 'growing', 0.27),
  row('smooth', 1.6, 'R', 500, 'four profiles', 0.27),
  row('rough', 1.2, 'R', 2000, 0.6, 0.42),
];

const SMALL: readonly Kind['noise'][] = [0.3, 0.6, 1];
const ALL: readonly Kind['noise'][] = [...SMALL, 'small counts', '30 % zeros', '1 % viral', 'growing', 'four profiles'];

/** Worlds in which no hour is better than another. */
export const NO_EFFECT: readonly Kind[] = (['U', 'R'] as const).flatMap((habit) =>
  [50, 200, 500, 2000].flatMap((posts) =>
    (posts === 50 ? SMALL : ALL).map((noise): Kind => ({ effect: 'none', size: 1, habit, posts, noise })),
  ),
);

export const nameOf = ({ effect, size, habit, posts, noise }: Kind): string => {
  const factor = effect === 'none' ? '' : ` × ${size}`;
  return `${effect}${factor} ${habit}, ${posts} posts, ${typeof noise === 'number' ? `noise ${noise}` : noise}`;
};
