const MIB = 1024 * 1024;

/** Memory that the program takes without work, and below which nothing is collected. */
const [REST, MARK] = [96 * MIB, 120 * MIB];

/** What lists and photos leave, and nothing else that counts on little memory, as imports of large files do. */
const BUSY = 126 * MIB;

/** Growth since the last collection that is worth another one, below and above {@link BUSY}. */
const GROWTH = { below: 24 * MIB, above: 48 * MIB };

/** Milliseconds between two looks: at rest, and in a process that holds more, which grows faster. */
const INTERVAL = { atRest: 100, busy: 20 };

/** Bytes: all that is resident, and the part of it that JavaScriptCore manages. */
type Memory = Pick<NodeJS.MemoryUsage, 'rss' | 'heapTotal'>;

/**
 * Collects garbage when the process has grown outside JavaScriptCore's heap, which doesn't count what chunks of bodies
 * hold there. What fills the heap it collects by itself, when that is due: a forced collection takes ten times as long
 * and drops compiled code, and reads of items and lists caused some each second.
 */
export function watchMemory(memory: () => Memory = process.memoryUsage, collect: () => void = () => Bun.gc(true)) {
  const outside = (): number => {
    const { rss, heapTotal } = memory();
    return rss - heapTotal;
  };
  let left = 0;
  /** Returns the milliseconds until the next look. */
  const look = (): number => {
    const now = outside();
    left = Math.min(left, now);
    const growth = left < BUSY ? GROWTH.below : GROWTH.above;
    if (now < Math.max(MARK, left + growth)) return now < REST ? INTERVAL.atRest : INTERVAL.busy;
    collect();
    left = outside();
    return INTERVAL.busy;
  };
  const lookOn = (): void => void setTimeout(lookOn, look()).unref();
  lookOn();
  return look;
}
