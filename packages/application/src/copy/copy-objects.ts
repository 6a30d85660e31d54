import type { ActiveMedia } from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import { allActive } from '../verify/all-active.ts';
import { itemExists, type Progress } from '../verify/object-problem.ts';
import { type CopyObjectPorts, copyObject } from './copy-object.ts';
import type { CopyProblem } from './copy-problem.ts';

/**
 * Number of objects copied concurrently. Most objects are small, so copying them mostly waits for a store's responses
 * rather than for disks.
 */
const CONCURRENCY = 4;

export interface CopyObjectsOptions {
  /** Whether objects are read back and hashed; sizes are compared in any case. */
  readonly hashes: boolean;
  readonly onProblem: (problem: CopyProblem) => void;
  readonly onProgress?: (done: Progress, all: Progress) => void;
}

export interface CopyObjectsReport extends Progress {
  readonly copied: Progress;
  readonly problems: number;
}

/**
 * Copies the object of every active item from one storage to another, and checks that it arrived. The service may use
 * the source meanwhile; items that this run misses for that reason are copied by the next run. Nothing on the target is
 * overwritten or removed.
 *
 * The copy may be killed: the next run skips objects that have the right size.
 *
 * @throws Refusal `unavailable` if a storage or the database becomes unreachable
 */
export async function copyObjects(
  ports: CopyObjectPorts,
  { hashes, onProblem, onProgress = () => undefined }: CopyObjectsOptions,
): Promise<CopyObjectsReport> {
  const all = await measure(ports);
  let [done, copied, problems] = [NONE, NONE, 0];
  await forEachConcurrently(allActive(ports.media), CONCURRENCY, async (item) => {
    const { isCopied, problem } = await copyObject(ports, item, hashes);
    // The item is in the trash or was deleted meanwhile, so its object must not be public.
    if (ports.isPublic && (await ports.media.find(item.id)) === null) await ports.target.hide(item.fullName);
    done = add(done, item);
    if (isCopied) copied = add(copied, item);
    if (problem !== null && (await itemExists(ports, item))) {
      problems += 1;
      onProblem(problem);
    }
    onProgress(done, all);
  });
  return { ...done, copied, problems };
}

const NONE: Progress = { objects: 0, bytes: 0 };

const add = ({ objects, bytes }: Progress, { content }: ActiveMedia): Progress => ({
  objects: objects + 1,
  bytes: bytes + content.size,
});

async function measure({ media }: CopyObjectPorts): Promise<Progress> {
  let all = NONE;
  for await (const item of allActive(media)) all = add(all, item);
  return all;
}
