import type { Operations } from './operations.ts';

/** Whether a file is ready to be published on a target, as the service answers it. */
export type Readiness = Operations['readiness']['item']['output']['data'][number];

/**
 * Checks a file against what networks take, before a byte of it is sent: by the service's own rules and a few slices of the
 * file. What it needs, some 50 KB compressed, is loaded with the first call.
 *
 * ```ts
 * const [reel] = await checkFile(file, ['instagram.reel']);
 * if (reel?.verdict === 'not_ready') for (const { message, remedy } of reel.problems) console.log(message, remedy);
 * ```
 *
 * @param targets as `client.trpc.networks.list.query()` has them
 * @returns one for each target, in their order
 * @throws Error named `UnreadableFile` for what isn't one of the six types or doesn't parse; RangeError for an unknown target
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
