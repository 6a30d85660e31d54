import type { Finding } from '@postshelf/domain';

export interface Check extends Finding {
  readonly name: string;
}

/**
 * Runs all checks concurrently. A check that takes longer than `limit` milliseconds fails.
 *
 * @param explain turns the error of a failed check into a finding
 */
export const examine = (
  checks: Readonly<Record<string, () => Promise<Finding>>>,
  limit: number,
  explain: (error: unknown, name: string) => Finding,
): Promise<readonly Check[]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error(`No answer within ${limit / 1000} s.`)), limit);
      const finding = await Promise.race([check(), late.promise]).catch((error: unknown) => explain(error, name));
      clearTimeout(timer);
      return { name, ...finding };
    }),
  );
