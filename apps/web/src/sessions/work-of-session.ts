import { queryClient } from '../service/service.ts';

/** Background work that belongs to the session, such as uploads. */
export interface Work {
  isUnfinished(): boolean;
  /** Aborts the work and discards its state. */
  discard(): void | Promise<void>;
}

const works: Work[] = [];

/** Registers work that ends with the session. */
export const addWork = (work: Work): void => void works.push(work);

/** Whether work would be lost if the session ended now. */
export const hasUnfinishedWork = (): boolean => works.some((work) => work.isUnfinished());

/** Aborts the session's work, and clears everything that the page has cached for it. */
export async function startAnew(): Promise<void> {
  await Promise.all(works.map((work) => work.discard()));
  await queryClient.resetQueries();
}
