/** Kinds of work that have no jobs; a process starts the work when it is due. */
export const DUE_WORK = ['unconfirmed uploads', 'deletions'] as const;

export type LongestDue = Readonly<Record<(typeof DUE_WORK)[number], number | null>>;

export interface DueWork {
  /** When the oldest item of each kind became due or will become due; null if there is none. */
  oldest(): Promise<LongestDue>;
}
