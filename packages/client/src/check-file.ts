import type { Operations } from './operations.ts';

/** In the form of the service's answer. */
export type Readiness = Operations['readiness']['item']['output']['data'][number];

/**
 * Checks a file against the networks' rules before any of it is sent, with the service's own rules and by reading only
 * a few slices of the file. The code for it, some 50 KB compressed, is loaded by the first call.
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
    problems: problems.map(({ mediaContentId, limit, actual, ...rest }) => ({
      ...rest,
      media_content_id: mediaContentId,
      limit: typeof limit === 'object' ? [...limit] : limit,
      actual: typeof actual === 'object' && actual !== null ? [...actual] : actual,
    })),
  }));
}
