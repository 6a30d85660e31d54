import { cpuSeconds } from '@postshelf/harness';
import type { Figure } from '../benchmark.ts';
import { type Compared, inTurn, type Spread, spreadOf } from '../in-turn.ts';

export interface Worker {
  readonly pid: number;
  /**
   * Returns the seconds of processor time that other processes have spent on this side's work. They are added to the
   * processor time of the side's own process.
   */
  helperSeconds?(): Promise<number>;
  /** Does the work of one round. Returns its amount, and also its duration if the side measures that more precisely. */
  work(): Promise<number | { readonly done: number; readonly seconds: number }>;
}

export interface SideBySide {
  readonly speed: Compared;
  /**
   * The ratio by processor time. It is more meaningful than the ratio by time if the client or the disk is the
   * bottleneck.
   */
  readonly byCpu: Compared;
}

/**
 * Runs the two sides alternately ({@link inTurn}), and compares their speeds, also by processor time.
 *
 * @param warmUps as for {@link inTurn}
 */
export async function sideBySide(rounds: number, ours: Worker, theirs: Worker, warmUps = 1): Promise<SideBySide> {
  const efficiency = { ours: [] as number[], theirs: [] as number[] };
  const side =
    (name: keyof typeof efficiency, { pid, helperSeconds, work }: Worker) =>
    async () => {
      const used = async () => (await cpuSeconds(pid)) + ((await helperSeconds?.()) ?? 0);
      const [start, usedBefore] = [performance.now(), await used()];
      const amount = await work();
      const passed = (performance.now() - start) / 1000;
      const { done, seconds } = typeof amount === 'number' ? { done: amount, seconds: passed } : amount;
      // The divisor is at least the resolution of the clock of processor time, because a very short round would
      // otherwise seem infinitely fast.
      efficiency[name].push(done / Math.max((await used()) - usedBefore, 0.01));
      return done / seconds;
    };
  const speed = await inTurn(rounds, side('ours', ours), side('theirs', theirs), warmUps);
  const [one, other] = [efficiency.ours.slice(warmUps), efficiency.theirs.slice(warmUps)];
  const ratio = spreadOf(one.map((value, round) => value / (other[round] ?? Number.NaN)));
  return { speed, byCpu: { ours: spreadOf(one), theirs: spreadOf(other), ratio } };
}

export const figure = (what: string, { median, lowest, highest }: Spread, unit: string): Figure => ({
  what,
  value: median,
  unit,
  spread: [lowest, highest],
});

/**
 * Returns four figures: the ratio by time, the speed of each side, and the ratio by processor time.
 *
 * @param what prefix of each line, such as `200 MB: `
 * @param goal minimum of the ratio by time
 * @param theirName the other side's name
 */
export function figuresOf(
  what: string,
  unit: string,
  { speed, byCpu }: SideBySide,
  goal?: number,
  theirName = 'bare',
): Figure[] {
  const ratio = figure(`${what}ours ÷ ${theirName}`, speed.ratio, 'ratio');
  return [
    goal === undefined ? ratio : { ...ratio, goal: { kind: 'at least', value: goal } },
    figure(`${what}ours`, speed.ours, unit),
    figure(`${what}${theirName}`, speed.theirs, unit),
    figure(`${what}ours ÷ ${theirName}, by CPU time of the server`, byCpu.ratio, 'ratio'),
  ];
}
