/** Work that some process takes up by itself once it is due, beside jobs. */
export const DUE_WORK = ['unconfirmed uploads', 'deletions'] as const;

export type LongestDue = Readonly<Record<(typeof DUE_WORK)[number], number | null>>;

export interface DueWork {
  /** When the oldest of each became due; null: there is none. May be in the future. */
  oldest(): Promise<LongestDue>;
}
