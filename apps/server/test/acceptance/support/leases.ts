import type { World } from './world.ts';

/** Ends the leases of jobs that a killed process has left behind. */
export async function endJobLeases({ database }: World): Promise<void> {
  await database.change('update jobs set due_at = 1 where lease_owner is not null');
  await database.change('update job_turns set due_at = 1 where due_at is not null');
}
