/** Milliseconds. */
const PAUSE = { from: 10, to: 1000 };
/** Of the time waited so far, so that long waits leave the processor to others. */
const PAUSE_SHARE = 0.05;

/** Fails with the name of the wait after `deadline` milliseconds, and with what the condition throws. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, deadline = 10_000) {
  const start = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - start;
    if (waited > deadline) throw new Error(`Waited ${deadline} ms in vain until: ${what}`);
    await Bun.sleep(Math.min(Math.max(waited * PAUSE_SHARE, PAUSE.from), PAUSE.to));
  }
}

/** As {@link until}. */
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
