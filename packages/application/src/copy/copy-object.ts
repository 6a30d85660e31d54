import { type ActiveMedia, type Digester, type ObjectStorage, Refusal, type StoredObject } from '@postshelf/domain';
import { chunksOf } from '../objects/read-stored.ts';
import type { Ports, Settings } from '../ports.ts';
import { compareObject, missingObject, type ObjectProblem } from '../verify/object-problem.ts';
import { type CopyProblem, SourceFailure, wrapSourceErrors } from './copy-problem.ts';

export interface CopyObjectPorts extends Pick<Ports, 'media'>, Pick<Settings, 'isPublic'> {
  readonly source: Pick<ObjectStorage, 'open'>;
  readonly target: Pick<ObjectStorage, 'open' | 'stage' | 'hide'>;
  readonly digest: Digester;
}

export interface ObjectOutcome {
  readonly isCopied: boolean;
  readonly problem: CopyProblem | null;
}

/**
 * Copies an item's object unless the target already has one. Then compares the target's object with the row: its size,
 * and with `hashes` also its SHA-256. If the row has no hash, the target's object is compared with the source's.
 */
export async function copyObject(ports: CopyObjectPorts, item: ActiveMedia, hashes: boolean): Promise<ObjectOutcome> {
  const found = await ports.target.open(item.fullName);
  try {
    const sha256 = found === null ? await copyToTarget(ports, item) : null;
    const isCopied = sha256 !== null;
    const stored = found ?? (await ports.target.open(item.fullName));
    if (stored === null) return { isCopied, problem: problemAt('target', missingObject(item)) };
    const bySize = compareObject(item, { size: stored.size });
    if (bySize !== null || !hashes) return { isCopied, problem: problemAt('target', bySize) };
    const expected = withHash(item, item.content.sha256 ?? sha256 ?? (await hashOfSource(ports, item)));
    return { isCopied, problem: problemAt('target', compareObject(expected, await ports.digest(chunksOf(stored)))) };
  } catch (error) {
    if (error instanceof UnusableSource) return { isCopied: false, problem: error.problem };
    throw error;
  }
}

class UnusableSource extends Error {
  override readonly name = 'UnusableSource';

  constructor(readonly problem: CopyProblem | null) {
    super('This object cannot be copied.');
  }
}

/**
 * Copies an object to the target.
 *
 * @returns the SHA-256 of what was sent
 * @throws UnusableSource if the source's object differs from the row or can't be read
 */
async function copyToTarget({ source, target }: CopyObjectPorts, item: ActiveMedia): Promise<string | null> {
  const object = await openSource(source, item);
  const body = wrapSourceErrors(chunksOf(object));
  const staged = await target.stage(body, { limit: item.content.size }).catch(asUnusable(item));
  try {
    const { size, sha256 } = staged;
    const problem = compareObject(item, { size, ...(sha256 !== null && { sha256 }) });
    if (problem !== null) throw new UnusableSource(problemAt('source', problem));
    try {
      await staged.publish(item.fullName, item.content.type);
    } catch (error) {
      // A concurrent copy of the same library may have published the object first.
      if (error instanceof Refusal || (await target.open(item.fullName)) === null) throw error;
    }
    return sha256;
  } finally {
    await staged.discard();
  }
}

async function hashOfSource({ source, digest }: CopyObjectPorts, item: ActiveMedia): Promise<string> {
  const object = await openSource(source, item);
  return (await digest(wrapSourceErrors(chunksOf(object))).catch(asUnusable(item))).sha256;
}

async function openSource(source: CopyObjectPorts['source'], item: ActiveMedia): Promise<StoredObject> {
  const object = await source.open(item.fullName);
  const problem = object === null ? missingObject(item) : compareObject(item, { size: object.size });
  if (object === null || problem !== null) throw new UnusableSource(problemAt('source', problem));
  return object;
}

const asUnusable =
  ({ id, fullName }: ActiveMedia) =>
  (error: unknown): never => {
    if (!(error instanceof SourceFailure)) throw error;
    const details = { expected: null, found: error.message };
    throw new UnusableSource({ at: 'source', id, key: fullName, problem: 'unreadable', ...details });
  };

const problemAt = (side: CopyProblem['at'], problem: ObjectProblem | null): CopyProblem | null =>
  problem && { at: side, ...problem };

const withHash = (item: ActiveMedia, sha256: string): ActiveMedia => ({
  ...item,
  content: { ...item.content, sha256 },
});
