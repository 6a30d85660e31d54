/** Work that some process takes up by itself once it is due. */
export const DUE_WORK = [
  'imports',
  'covers',
  'fits',
  'unconfirmed uploads',
  'deletions',
  'webhook deliveries',
] as const;

export type LongestDue = Readonly<Record<(typeof DUE_WORK)[number], number | null>>;

export interface DueWork {
  /** When the oldest of each became due, or its lease ends; null: there is none. May be in the future. */
  oldest(): Promise<LongestDue>;
}
