import type { ReadinessProblem } from '@postshelf/domain/readiness';
import type { Operations } from './operations.ts';

/** The check's result for one target, in the format of the service's API. */
export type Readiness = Operations['readiness']['item']['output']['data'][number];

/**
 * Checks a file against the networks' rules before any of it is sent. It uses the service's own rules and reads only a
 * few slices of the file. The first call loads the code for it (about 50 KB compressed).
 *
 * ```ts
 * const [reel] = await checkFile(file, ['instagram.reel']);
 * if (reel?.verdict === 'not_ready') for (const { message, remedy } of reel.problems) console.log(message, remedy);
 * ```
 *
 * @param targets names of targets, as listed by `client.trpc.networks.list.query()`
 * @returns one result for each target, in the given order
 * @throws Error named `UnreadableFile` if the file has none of the six supported types, or doesn't parse; RangeError
 *   for an unknown target
 */
export async function checkFile(file: Blob, targets: readonly string[]): Promise<Readiness[]> {
  const { check } = await import('./check/check.ts');
  const all = await check(file, targets);
  return all.map(({ target, verdict, problems }) => ({
    target,
    verdict,
    problems: problems.map(showProblem),
  }));
}

/**
 * Checks the posts of one profile, published and planned, against the number that its network accepts within 24 hours.
 * Loads the same code as {@link checkFile}.
 *
 * @param network the profile's network
 * @param times when its posts are published, in milliseconds since 1970
 * @returns the problem with the busiest 24 hours; null if there is none, or the network has no known limit. If the
 *   network's targets have different problems, the most severe one is returned.
 */
export async function checkPostsPerDay(network: string, times: readonly number[]): Promise<Problem | null> {
  const { checkDay } = await import('./check/check.ts');
  const problem = checkDay(network, times);
  return problem === null ? null : showProblem(problem);
}

type Problem = Readiness['problems'][number];

/** Converts a problem to the format of the service's API. */
const showProblem = ({ mediaContentId, limit, actual, ...rest }: ReadinessProblem): Problem => ({
  ...rest,
  media_content_id: mediaContentId,
  limit: typeof limit === 'object' ? [...limit] : limit,
  actual: typeof actual === 'object' && actual !== null ? [...actual] : actual,
});
