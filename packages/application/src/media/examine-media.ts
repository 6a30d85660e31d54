import type { ActiveMedia, ByteSource, StoredObject, Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

type ExaminePorts = Pick<Ports, 'media' | 'storage' | 'inspector' | 'digest' | 'shares'>;

/** `unreadable`: its object is gone, isn't whole, or says nothing that is kept. `gone`: another was faster, or it was deleted. */
export type ExamineOutcome = 'examined' | 'unreadable' | 'gone';

export interface ExamineOptions {
  /** Ends the pass after the item that is being read. */
  readonly signal: AbortSignal;
  /** Items that were unreadable before, which are passed over; those that are now join them. */
  readonly unreadable: Set<Uuid>;
  /** Waits between two items, to leave resources to requests. */
  readonly pause?: () => Promise<void>;
  readonly onItem?: (id: Uuid, outcome: ExamineOutcome) => void;
}

const BATCH = 50;

/** When another process is found at the same items, so many of them are left to it at most. */
const MAX_LEFT_TO_OTHERS = 20;

/** Unreadable items that are remembered; more are read again in the next pass. */
const MAX_REMEMBERED = 10_000;

/**
 * Looks at the bytes of active items whose details or hash aren't known, as items of earlier programs have none, and keeps what it
 * finds: one pass in the order of ids. What was found stays known, so a pass that is killed goes on where it was. No lease:
 * two processes that read the same item keep the same, and part ways then.
 *
 * @throws Refusal `busy` when too many files are being read, `unavailable` when database or storage are
 */
export async function examineMedia(ports: ExaminePorts, options: ExamineOptions): Promise<void> {
  const { signal, unreadable, pause, onItem } = options;
  let leftToOthers = 0;
  for (let after: Uuid | null = null; ; ) {
    const items: readonly ActiveMedia[] = await ports.media.listUnexamined(after, BATCH);
    for (const item of items) {
      if (signal.aborted) return;
      after = item.id;
      if (unreadable.has(item.id)) continue;
      if (leftToOthers > 0) {
        leftToOthers -= 1;
        continue;
      }
      const outcome = await examine(ports, item, signal);
      if (outcome === 'unreadable' && unreadable.size < MAX_REMEMBERED) unreadable.add(item.id);
      if (outcome === 'gone') leftToOthers = Math.floor(Math.random() * MAX_LEFT_TO_OTHERS);
      onItem?.(item.id, outcome);
      await pause?.();
    }
    if (items.length < BATCH) return;
  }
}

async function examine(ports: ExaminePorts, item: ActiveMedia, signal: AbortSignal): Promise<ExamineOutcome> {
  const giveBack = await ports.shares.take('hashes', item.workspaceId, signal);
  try {
    const object = await ports.storage.open(item.fullName);
    // One that isn't whole is for `verify` to tell of; its hash would be a lie.
    if (object === null || object.size !== item.content.size) return 'unreadable';
    const facts = item.content.details === null ? await ports.inspector.inspect(sourceOf(object)) : null;
    const details = facts === null || facts === 'damaged' ? null : facts.details;
    const sha256 = item.content.sha256 ?? (await ports.digest(bytesOf(object))).sha256;
    const isKept = await ports.media.keepExamined(item.id, { details, sha256 });
    if (details === null && item.content.details === null) return 'unreadable';
    return isKept ? 'examined' : 'gone';
  } finally {
    giveBack();
  }
}

async function* bytesOf(object: StoredObject, range?: { start: number; end: number }): AsyncGenerator<Uint8Array> {
  const body = object.body(range);
  yield* body instanceof Blob ? body.stream() : body;
}

/** A stored object as bytes that are read here and there. */
const sourceOf = (object: StoredObject): ByteSource => ({
  size: object.size,
  async read(offset, length) {
    const end = Math.min(offset + length, object.size);
    const bytes = new Uint8Array(Math.max(0, end - offset));
    let filled = 0;
    if (bytes.length === 0) return bytes;
    for await (const chunk of bytesOf(object, { start: offset, end: end - 1 })) {
      bytes.set(chunk, filled);
      filled += chunk.length;
    }
    return bytes.subarray(0, filled);
  },
});
