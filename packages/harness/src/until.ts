/** Milliseconds from one question to the next, the shortest and the longest. */
const PAUSE = { from: 10, to: 250 };
/** The pause's share of the time waited so far: long waits would spend it on asking, and keep processors from others. */
const PAUSE_SHARE = 0.05;

/**
 * Asks `condition` again and again until it holds, and fails with the name of the wait after `deadline` milliseconds.
 * Whatever `condition` throws ends the wait at once.
 */
export async function until(what: string, condition: () => boolean | Promise<boolean>, deadline = 10_000) {
  const start = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - start;
    if (waited > deadline) throw new Error(`Waited ${deadline} ms in vain until: ${what}`);
    await Bun.sleep(Math.min(Math.max(waited * PAUSE_SHARE, PAUSE.from), PAUSE.to));
  }
}

/** Settles as `promise` does, or fails with the name of the wait after `deadline` milliseconds. */
export async function within<T>(what: string, promise: Promise<T>, deadline = 10_000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${deadline} ms in vain for: ${what}`)), deadline);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
