import type { Disagreement } from './judge.ts';
import type { Specimen } from './specimen.ts';

/** Disagreements that, judging by the traits of the files, seem to have the same cause. */
export interface DisagreementClass {
  /** The name of the class, for example `jpeg: size; field=LONG, orientation`. */
  readonly key: string;
  readonly count: number;
  /** Number of files that have the traits of this class, but about which there is no such disagreement. */
  readonly others: number;
  readonly example: Disagreement;
}

/**
 * Groups the disagreements, separately for each family and property, by their likely cause. A cause is a trait, an
 * unusual axis, or two of these together. The first cause is chosen so that many files with a disagreement have it, and
 * few other files do. The disagreements that it doesn't explain are then grouped in the same way.
 */
export function classesOf(
  disagreements: readonly Disagreement[],
  specimens: readonly Specimen[],
): readonly DisagreementClass[] {
  const classes: DisagreementClass[] = [];
  for (const [about, group] of grouped(disagreements)) {
    const relatives = specimens.filter(({ family }) => family === group[0]?.specimen.family);
    for (let unexplained = group; unexplained.length > 0; ) {
      const cause = causeOf(unexplained, relatives, group);
      const explained = unexplained.filter(({ specimen }) => hasAll(specimen, cause));
      const [example] = [...explained].sort((a, b) => countOf(a) - countOf(b));
      if (example === undefined) break;
      const others = relatives.filter((one) => hasAll(one, cause) && group.every(({ specimen }) => specimen !== one));
      const key = [about, cause.join(', ') || 'ordinary'].join('; ');
      classes.push({ key, count: explained.length, others: others.length, example });
      unexplained = unexplained.filter((each) => !explained.includes(each));
    }
  }
  return classes.sort((a, b) => b.count - a.count);
}

function grouped(disagreements: readonly Disagreement[]): ReadonlyMap<string, readonly Disagreement[]> {
  const groups = new Map<string, Disagreement[]>();
  for (const each of disagreements) {
    const about = `${each.specimen.family ?? 'files'}: ${each.property}`;
    groups.set(about, [...(groups.get(about) ?? []), each]);
  }
  return groups;
}

const countOf = ({ specimen }: Disagreement): number => Object.keys(specimen.traits).length;

/** For each unusual axis of a file, returns both `axis=trait` and just `axis`. */
const featuresOf = ({ traits }: Specimen): readonly string[] =>
  Object.entries(traits).flatMap(([axis, trait]) => [`${axis}=${trait}`, axis]);

const hasAll = (specimen: Specimen, features: readonly string[]): boolean => {
  const own = featuresOf(specimen);
  return features.every((feature) => own.includes(feature));
};

/**
 * Returns the features that best explain some of the disagreements; none if a disagreement is about an ordinary file.
 *
 * @param relatives all files of the family
 * @param group all disagreements about the property, also those that have been explained
 */
function causeOf(
  unexplained: readonly Disagreement[],
  relatives: readonly Specimen[],
  group: readonly Disagreement[],
): readonly string[] {
  const isOrdinary = unexplained.some((each) => countOf(each) === 0);
  if (isOrdinary) return [];
  const failing = new Set(group.map(({ specimen }) => specimen));
  const features = [...new Set(unexplained.flatMap(({ specimen }) => featuresOf(specimen)))];
  const single = features.map((feature) => [feature]);
  const pairs = features.flatMap((one, index) => features.slice(index + 1).map((other) => [one, other]));
  let best: readonly string[] = [];
  let bestScore = 0;
  for (const candidate of [...single, ...pairs]) {
    const explained = unexplained.filter(({ specimen }) => hasAll(specimen, candidate)).length;
    if (explained === 0) continue;
    const all = relatives.filter((one) => hasAll(one, candidate));
    const share = all.filter((one) => failing.has(one)).length / all.length;
    // Prefers a single cause to a pair that explains the same disagreements.
    const score = explained * share ** 2 * (candidate.length === 1 ? 1 : 0.7);
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/**
 * Describes the class in a few lines: its key, the number of files, an example, and what each program says about the
 * example.
 */
export function describeClass({ key, count, others, example }: DisagreementClass): string {
  const says = Object.entries(example.says).map(([who, what]) => `    ${who}: ${what}`);
  const files = `${count} ${count === 1 ? 'file' : 'files'}${others > 0 ? ` (${others} like them are right)` : ''}`;
  const traits = Object.entries(example.specimen.traits).map(([axis, trait]) => `${axis}=${trait}`);
  return [key, `  ${files}, for example ${example.specimen.name}: ${traits.join(', ')}`, ...says].join('\n');
}
