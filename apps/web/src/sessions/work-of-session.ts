/** What a page does on its own for whoever is signed in, such as uploads. */
export interface Work {
  isUnfinished(): boolean;
  /** Ends it and forgets it. */
  forget(): void | Promise<void>;
}

const works: Work[] = [];

/** Has the work ended with the session. */
export const addWork = (work: Work): void => void works.push(work);

/** Whether something would come to nothing if the session ended now. */
export const hasUnfinishedWork = (): boolean => works.some((work) => work.isUnfinished());

export async function forgetWork(): Promise<void> {
  await Promise.all(works.map((work) => work.forget()));
}
