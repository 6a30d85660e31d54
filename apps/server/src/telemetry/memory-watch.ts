const MIB = 1024 * 1024;

/** Resident memory below which nothing is collected: what the program takes without work. */
const MARK = 110 * MIB;

/** Growth since the last collection that is worth another one. */
const GROWTH = 24 * MIB;

/** Milliseconds between two looks. */
const INTERVAL = 100;

/**
 * Collects garbage when the process has grown. JavaScriptCore doesn't count the memory outside its heap that chunks of
 * bodies hold.
 */
export function watchMemory(rss: () => number = process.memoryUsage.rss, collect: () => void = () => Bun.gc(true)) {
  let left = MARK;
  const look = (): void => {
    left = Math.max(MARK, Math.min(left, rss()));
    if (rss() < left + GROWTH) return;
    collect();
    left = rss();
  };
  setInterval(look, INTERVAL).unref();
  return look;
}
