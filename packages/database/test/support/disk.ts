export type Waiting = ReturnType<typeof Promise.withResolvers<void>>;

/** A fake disk whose syncs end when the test says so. */
export function disk() {
  const waiting: Waiting[] = [];
  return {
    /** Syncs in progress. */
    waiting,
    sync: (): Promise<void> => {
      const call = Promise.withResolvers<void>();
      waiting.push(call);
      return call.promise.finally(() => waiting.splice(waiting.indexOf(call), 1));
    },
  };
}
