import type { Deployment } from './deployments/deployment.ts';

const LEASED = 'select kind, subject_id, lease_owner from jobs where lease_owner is not null order by kind';

/** Counts, by kind, the jobs that were running when the process that leased them was killed. */
export class KilledJobs {
  readonly #counts = new Map<string, number>();
  /** The leases that were already counted. A lease may outlive several kills, but must be counted only once. */
  readonly #seen = new Set<string>();

  /** Counts the jobs that the last kill interrupted. Must be called after each kill, before the next start. */
  async count({ read }: Deployment): Promise<void> {
    const [leased = []] = await read([LEASED]);
    for (const { kind, subject_id, lease_owner } of leased) {
      const lease = [kind, subject_id, lease_owner].join(' ');
      if (this.#seen.has(lease)) continue;
      this.#seen.add(lease);
      this.#counts.set(String(kind), (this.#counts.get(String(kind)) ?? 0) + 1);
    }
  }

  /** Returns the counts by kind. Kinds of which no job was killed are missing. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort());
  }
}
