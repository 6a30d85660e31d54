import type { Random } from '@postshelf/harness';

/** The name of each axis, with the trait that a file has on it. */
export type Traits = Readonly<Record<string, string>>;

type TraitsOf<A extends Readonly<Record<string, readonly string[]>>> = {
  readonly [Axis in keyof A]: A[Axis][number];
};

export interface Made {
  readonly bytes: Uint8Array;
  readonly extension: string;
  /** The outcome, if a decision of the project defines it; otherwise the oracles decide. */
  readonly expected?: Expected;
}

/** `damaged`: refused as incomplete. `type`: refused as an unsupported type. `refused`: for either reason. */
export type Expected = 'taken' | 'damaged' | 'type' | 'refused';

/** Files of one format that differ in the traits of their axes. */
export interface Family {
  readonly name: string;
  /**
   * Number of combinations of traits in a full run. No file is made for a combination whose traits exclude each other.
   */
  readonly share: number;
  /** The traits of each axis. The first one is the ordinary one. */
  readonly axes: Readonly<Record<string, readonly string[]>>;
  /** Makes a file; null for traits that exclude each other. */
  make(traits: Traits): Promise<Made | null>;
}

export const family = <const A extends Readonly<Record<string, readonly string[]>>>(definition: {
  readonly name: string;
  readonly share: number;
  readonly axes: A;
  readonly make: (traits: TraitsOf<A>) => Promise<Made | null>;
}): Family => ({
  ...definition,
  // Only traits of the family's own axes are ever chosen.
  make: (traits) => definition.make(traits as TraitsOf<A>),
});

/** The probability that a random combination leaves an axis at its ordinary trait. */
const ORDINARY = 0.6;

/**
 * Yields distinct combinations of traits: first the ordinary one, then the ordinary one with a single trait changed,
 * then random ones. Ends when no new combination is found.
 */
export function* chooseTraits({ axes }: Family, random: Random): Generator<Traits> {
  const ordinary = Object.fromEntries(Object.entries(axes).map(([axis, [first = '']]) => [axis, first]));
  const chosen = new Set<string>();
  const isNew = (traits: Traits): boolean => chosen.size < chosen.add(JSON.stringify(traits)).size;
  if (isNew(ordinary)) yield ordinary;
  for (const [axis, traits] of Object.entries(axes)) {
    for (const trait of traits.slice(1)) {
      const one = { ...ordinary, [axis]: trait };
      if (isNew(one)) yield one;
    }
  }
  for (let misses = 0; misses < 1000; misses += 1) {
    const mixed = Object.fromEntries(
      Object.entries(axes).map(([axis, traits]) => [
        axis,
        random.chance(ORDINARY) ? (traits[0] ?? '') : random.pick(traits),
      ]),
    );
    if (!isNew(mixed)) continue;
    misses = 0;
    yield mixed;
  }
}

/** Returns the traits that aren't the ordinary ones. */
export const unusual = ({ axes }: Family, traits: Traits): Traits =>
  Object.fromEntries(Object.entries(traits).filter(([axis, trait]) => axes[axis]?.[0] !== trait));
