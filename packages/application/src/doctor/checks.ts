import { type Finding, Refusal } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

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

const PROBE = 'postshelf doctor';

/**
 * Writes, reads and deletes a few bytes. They are staged like an upload, so that garbage collection removes what a
 * killed process leaves.
 *
 * @throws Refusal `unavailable`; whatever the storage throws
 */
export async function probeStorage({ storage }: { readonly storage: Pick<Ports['storage'], 'check' | 'stage'> }) {
  await storage.check();
  const bytes = new TextEncoder().encode(PROBE);
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  const staged = await storage.stage(body(), { limit: bytes.length });
  try {
    const read = new TextDecoder().decode(await staged.read(0, bytes.length));
    if (read !== PROBE)
      throw new Refusal({ code: 'unavailable', message: 'The storage does not return the bytes it was given.' });
  } finally {
    await staged.discard();
  }
}
