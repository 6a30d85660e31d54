import type { MediaContent, MediaInspector, StagedObject } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** Bytes that were received and read. */
export interface ReceivedFile {
  readonly object: StagedObject;
  readonly content: MediaContent;
}

/**
 * Determines the type and the properties of staged bytes. null when they are none of the six types or don't parse,
 * `damaged` when they aren't all there. The bytes are discarded then, and also when reading them fails.
 */
export async function inspectStaged(
  ports: Pick<Ports, 'inspector'>,
  object: StagedObject,
): Promise<ReceivedFile | 'damaged' | null> {
  let facts: Awaited<ReturnType<MediaInspector['inspect']>>;
  try {
    facts = await ports.inspector.inspect(object);
  } catch (cause) {
    await object.discard();
    throw cause;
  }
  if (facts !== null && facts !== 'damaged') {
    return { object, content: { ...facts, size: object.size, sha256: object.sha256 } };
  }
  await object.discard();
  return facts;
}
