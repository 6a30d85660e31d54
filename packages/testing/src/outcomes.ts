// These functions replace `expect(promise).rejects`, which blocks Bun's event loop (.dev/no-rejects.grit says how).

/**
 * Returns what a promise is rejected with.
 *
 * @throws Error if the promise is fulfilled
 */
export async function thrownBy(answer: PromiseLike<unknown> | undefined): Promise<unknown> {
  const [result] = await Promise.allSettled([answer]);
  if (result.status === 'rejected') return result.reason;
  throw new Error(`Nothing was thrown, but ${JSON.stringify(result.value)} was returned.`);
}

/**
 * Returns a function that ends as the promise did: it returns the same value or throws the same error. So
 * `expect(await outcomeOf(promise)).toThrow(…)` checks an error by its message or its class.
 */
export async function outcomeOf(answer: PromiseLike<unknown> | undefined): Promise<() => unknown> {
  const [result] = await Promise.allSettled([answer]);
  return () => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  };
}
