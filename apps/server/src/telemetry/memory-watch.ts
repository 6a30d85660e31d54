import { gcAndSweep } from 'bun:jsc';

const MIB = 1024 * 1024;

/** Bytes outside JavaScriptCore's heap: below `REST`, the program is idle; below `MARK`, no garbage is collected. */
const [REST, MARK] = [96 * MIB, 120 * MIB];

/**
 * Bytes outside the heap that stay in use after collections in a process that has served lists and photos. Other work,
 * such as imports of large files, leaves fewer bytes in use.
 */
const BUSY = 126 * MIB;

/**
 * Bytes of growth after which garbage is collected again: `below` if the last collection left fewer than {@link BUSY}
 * bytes, otherwise `above`.
 */
const GROWTH = { below: 24 * MIB, above: 48 * MIB };

/**
 * Bytes of resident memory above which growth of the heap also causes collections, each after `GROWTH.below` more bytes.
 * Lists that are read without a pause come close to it; answers of many megabytes, or many open streams, exceed it.
 */
const LARGE = 224 * MIB;

/** Milliseconds between two checks: in a process at rest, and in a busy one, whose memory grows faster. */
const INTERVAL = { atRest: 100, busy: 20 };

/** Numbers of bytes: all resident memory, and the part of it that JavaScriptCore manages. */
type Memory = Pick<NodeJS.MemoryUsage, 'rss' | 'heapTotal'>;

/**
 * Collects garbage when memory outside JavaScriptCore's heap has grown, for example because of body chunks.
 * JavaScriptCore doesn't count this memory, so it wouldn't collect garbage in time. When only the heap grows,
 * JavaScriptCore collects garbage automatically. In that case a collection is forced only if the resident memory
 * exceeds {@link LARGE}, because a forced collection takes ten times as long. Otherwise, reads of items and lists would
 * cause several forced collections each second.
 *
 * @param collect not `Bun.gc(true)`, which also discards compiled code: pages of 100 items took a sixth more processor
 *   time with it, for 10 MB less
 */
export function watchMemory(memory: () => Memory = process.memoryUsage, collect: () => unknown = gcAndSweep) {
  const measure = () => {
    const { rss, heapTotal } = memory();
    return { all: rss, outside: rss - heapTotal };
  };
  let left = { all: 0, outside: 0 };
  /** Checks the memory. Returns the milliseconds until the next check. */
  const check = (): number => {
    const now = measure();
    left = { all: Math.min(left.all, now.all), outside: Math.min(left.outside, now.outside) };
    const growth = left.outside < BUSY ? GROWTH.below : GROWTH.above;
    const hasGrownOutside = now.outside >= Math.max(MARK, left.outside + growth);
    const hasGrown = now.all >= Math.max(LARGE, left.all + GROWTH.below);
    if (!hasGrownOutside && !hasGrown) return now.outside < REST ? INTERVAL.atRest : INTERVAL.busy;
    collect();
    left = measure();
    return INTERVAL.busy;
  };
  const checkAgain = (): void => void setTimeout(checkAgain, check()).unref();
  checkAgain();
  return check;
}
