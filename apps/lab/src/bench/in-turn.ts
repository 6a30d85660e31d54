/**
 * Runs one round of one side, and returns its speed. Both sides use the same unit (requests per second, bytes per
 * second, …).
 */
type Side = () => Promise<number>;

export interface Compared {
  readonly ours: Spread;
  readonly theirs: Spread;
  /** The spread of the rounds' ratios `ours ÷ theirs`. */
  readonly ratio: Spread;
}

export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Measures two sides alternately, so that other load on the machine affects both. The ratio is the median of the
 * rounds' ratios. The sides take turns at starting a round.
 *
 * @param warmUps rounds before those that count. Until the service has handled some 2,000 uploads, it is slower than
 *   afterwards, because its code isn't compiled yet
 */
export async function inTurn(rounds: number, ours: Side, theirs: Side, warmUps = 1): Promise<Compared> {
  for (let round = 0; round < warmUps; round++) {
    await ours();
    await theirs();
  }
  const measured: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) measured.push({ ours: await ours(), theirs: await theirs() });
    else {
      const first = await theirs();
      measured.push({ ours: await ours(), theirs: first });
    }
  }
  return {
    ours: spreadOf(measured.map((round) => round.ours)),
    theirs: spreadOf(measured.map((round) => round.theirs)),
    ratio: spreadOf(measured.map((round) => round.ours / round.theirs)),
  };
}

/**
 * Returns the median and the extremes.
 *
 * @throws RangeError if there are no values
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [lowest, highest] = [sorted.at(0), sorted.at(-1)];
  const upper = sorted.at(sorted.length >> 1);
  const lower = sorted.at((sorted.length - 1) >> 1);
  if (lowest === undefined || highest === undefined || upper === undefined || lower === undefined)
    throw new RangeError('There is no median of nothing.');
  return { median: (lower + upper) / 2, lowest, highest };
}
