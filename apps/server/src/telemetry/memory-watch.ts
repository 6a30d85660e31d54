const MIB = 1024 * 1024;

/** Resident memory that the program takes without work, and below which nothing is collected. */
const [REST, MARK] = [110 * MIB, 134 * MIB];

/** What lists and photos leave, and nothing else that counts on little memory, as imports of large files do. */
const BUSY = 140 * MIB;

/**
 * Growth since the last collection that is worth another one, below and above {@link BUSY}. JavaScriptCore collects by
 * itself what fills its own heap: with half of the larger one, lists and photos cause four times as many collections,
 * which take up to a tenth of the thread.
 */
const GROWTH = { below: 24 * MIB, above: 48 * MIB };

/** Milliseconds between two looks: at rest, and in a process that holds more, which grows faster. */
const INTERVAL = { atRest: 100, busy: 20 };

/**
 * Collects garbage when the process has grown. JavaScriptCore doesn't count the memory outside its heap that chunks of
 * bodies hold.
 */
export function watchMemory(rss: () => number = process.memoryUsage.rss, collect: () => void = () => Bun.gc(true)) {
  let left = 0;
  /** Returns the milliseconds until the next look. */
  const look = (): number => {
    const now = rss();
    left = Math.min(left, now);
    const growth = left < BUSY ? GROWTH.below : GROWTH.above;
    if (now < Math.max(MARK, left + growth)) return now < REST ? INTERVAL.atRest : INTERVAL.busy;
    collect();
    left = rss();
    return INTERVAL.busy;
  };
  const lookOn = (): void => void setTimeout(lookOn, look()).unref();
  lookOn();
  return look;
}
