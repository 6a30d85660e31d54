import { parseUuid, type StorageMark, UnreadableMark } from '@postshelf/domain';

/** The mark's name in a folder or a bucket; no object's key begins with a dot. */
export const MARK = '.library';

/** Maximum number of bytes to read; every valid mark is shorter. */
export const MARK_LIMIT = 4096;

/** Encodes a mark. Older releases can read the mark, but ignore its fence. */
export const writeMark = ({ library, generation, restoring, fence, movedTo }: StorageMark): Uint8Array => {
  const since = restoring === null ? null : new Date(restoring).toISOString();
  return new TextEncoder().encode(
    `${JSON.stringify({ library, generation, restoring: since, fence, moved_to: movedTo })}\n`,
  );
};

export const isSameMark = (one: StorageMark, other: StorageMark | null): boolean =>
  other !== null && Buffer.compare(writeMark(one), writeMark(other)) === 0;

/**
 * Decodes a mark; unknown members are ignored.
 *
 * @param place the mark's name in messages
 * @throws UnreadableMark if the bytes aren't a valid mark
 */
export function readMark(bytes: Uint8Array, place: string): StorageMark {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new UnreadableMark(place, { cause });
  }
  const mark = typeof document === 'object' && document !== null ? fromDocument(document) : null;
  if (!mark) throw new UnreadableMark(place);
  return mark;
}

function fromDocument(document: object): StorageMark | null {
  const {
    library,
    generation,
    restoring,
    fence,
    moved_to: movedTo,
  }: Partial<Record<string, unknown>> = {
    ...document,
  };
  const id = parseUuid(library);
  const since = typeof restoring === 'string' ? Date.parse(restoring) : null;
  if (library !== null && id === null) return null;
  if (typeof generation !== 'number' || !Number.isSafeInteger(generation) || generation < 0) return null;
  if (Number.isNaN(since) || (since === null && restoring !== null)) return null;
  if (id === null && since === null) return null;
  if (!isTextOrAbsent(fence) || !isTextOrAbsent(movedTo)) return null;
  return {
    library: id,
    generation,
    restoring: since,
    ...(fence !== undefined && { fence }),
    ...(movedTo !== undefined && { movedTo }),
  };
}

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';
