/**
 * Asks `condition` again and again until it holds, and fails with the name of the wait after `deadline` milliseconds.
 * Whatever `condition` throws ends the wait at once.
 */
export async function until(what: string, condition: () => boolean | Promise<boolean>, deadline = 10_000) {
  const end = performance.now() + deadline;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited ${deadline} ms in vain until: ${what}`);
    await Bun.sleep(10);
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
