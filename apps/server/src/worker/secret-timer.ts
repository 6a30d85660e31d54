import type { Composition } from '../compose/compose.ts';
import type { Logger } from '../telemetry/log/log.ts';
import { every } from './every.ts';

const INTERVAL = 30_000;

/** Tells when the secret is no longer what the next start needs, once for each change. */
export function startSecretTimer(
  { findSecretProblem }: Pick<Composition, 'findSecretProblem'>,
  log: Logger,
): { stop(): Promise<void> } {
  let told: string | null = null;
  const work = async (): Promise<void> => {
    const problem = await findSecretProblem();
    if (problem !== null && problem !== told) log.error(problem);
    if (problem === null && told !== null) log.info('the secret that signs tokens is back');
    told = problem;
  };
  return every(INTERVAL, work, log);
}
