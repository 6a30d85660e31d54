import {
  type ConvertedType,
  isSound,
  type MediaFacts,
  STORED_INSTEAD,
  type StagedObject,
  type Uuid,
} from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';

interface ConvertOptions {
  /** Runs the staging, within a slot if the caller doesn't hold one yet. */
  readonly stage?: (work: () => Promise<StagedObject>) => Promise<StagedObject>;
  readonly signal?: AbortSignal;
}

/**
 * Converts an image to the format in which it is stored. The result is staged and inspected like any file, because
 * decoders aren't trusted. The caller discards the original and the result.
 *
 * @returns null if the image can't be decoded
 * @throws Refusal `busy` or `unavailable` if it can't be converted at the moment; the signal's reason
 */
export async function convertImage(
  {
    converter,
    shares,
    storage,
    inspector,
  }: Pick<Ports, 'converter' | 'storage' | 'inspector'> & Pick<Shared, 'shares'>,
  workspaceId: Uuid,
  type: ConvertedType,
  source: StagedObject,
  { stage = (work) => work(), signal = new AbortController().signal }: ConvertOptions,
): Promise<{ readonly object: StagedObject; readonly facts: MediaFacts } | null> {
  if (converter === null) return null;
  const releaseSlot = await shares.take('conversions', workspaceId, signal);
  const made = await converter.convert(source, type, signal).finally(releaseSlot);
  if (!made) return null;
  await using file = made;
  const object = await stage(() => storage.stage(file.body(), { limit: file.size, signal }));
  let isKept = false;
  try {
    const facts = await inspector.inspect(object);
    isKept = isSound(facts) && STORED_INSTEAD.some((stored) => stored === facts.type);
    return isKept && isSound(facts) ? { object, facts } : null;
  } finally {
    if (!isKept) await object.discard();
  }
}
