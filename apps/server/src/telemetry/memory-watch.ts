const MIB = 1024 * 1024;

/** Resident memory below which nothing is collected: what the program takes without work. */
const MARK = 110 * MIB;

/** Growth since the last collection that is worth another one. */
const GROWTH = 24 * MIB;

/** Milliseconds between two looks: at rest, and in a process that holds more than the mark, which grows faster. */
const INTERVAL = { atRest: 100, busy: 20 };

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
  const lookOn = (): void => {
    look();
    setTimeout(lookOn, left > MARK ? INTERVAL.busy : INTERVAL.atRest).unref();
  };
  lookOn();
  return look;
}
