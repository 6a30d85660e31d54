import {
  type ActiveMedia,
  BackupError,
  type BackupMember,
  type Digester,
  LimitExceeded,
  type ObjectSource,
} from '@postshelf/domain';
import { SourceFailure, wrapSourceErrors } from '../copy/copy-problem.ts';
import type { Ports } from '../ports.ts';
import { allActive } from '../verify/all-active.ts';
import { compareObject, itemExists, type ObjectProblem, type Progress } from '../verify/object-problem.ts';
import { inspectObject } from '../verify/verify.ts';

/** An object that stays as it was: why the source was of no help. */
export interface UnrepairedProblem extends ObjectProblem {
  /** `absent`: the source has no such object; `damaged`: its bytes aren't the item's either, or can't be read. */
  readonly source: 'absent' | 'damaged';
}

export interface RepairOptions {
  /** As of a verification: whether the objects that are there are read and hashed. What is put back always is. */
  readonly hashes: boolean;
  readonly onRepaired: (problem: ObjectProblem) => void;
  readonly onProblem: (problem: UnrepairedProblem) => void;
  /** The source broke off; what it had given is put back, and what it might have had is told as absent. */
  readonly onSourceFailure: (error: BackupError) => void;
  readonly onProgress?: (progress: Progress) => void;
}

export interface RepairReport extends Progress {
  readonly repaired: number;
  readonly problems: number;
}

type Needs = Pick<Ports, 'media' | 'storage'> & { readonly digest: Digester };

/** Problems at a time. A backup is read once for each so many, and so many are held in memory. */
const BATCH = 10_000;

interface Wanted {
  readonly item: ActiveMedia;
  readonly problem: ObjectProblem;
}

/**
 * Looks at the objects of all active items as a verification does, and puts those that are missing or damaged back from a
 * source: the bytes whose SHA-256 is the row's; where the row has none, those of the row's size with the hash that the
 * source wrote down, if it did. Damaged bytes go when the right ones are in their place, in one step. Objects that are
 * as they should be, or that no row of the database wants, aren't touched. May be killed at any moment and run again, and
 * run beside the service.
 *
 * @throws Refusal `unavailable` when the storage or the database can't be used
 */
export async function repair(ports: Needs, source: ObjectSource, options: RepairOptions): Promise<RepairReport> {
  const { hashes, onProgress } = options;
  let [objects, bytes, repaired, problems] = [0, 0, 0, 0];
  let wanted = new Map<string, Wanted>();
  const settle = async (): Promise<void> => {
    const done = await repairBatch(ports, source, wanted, options);
    repaired += done.repaired;
    problems += done.problems;
    wanted = new Map();
  };
  for await (const item of allActive(ports.media)) {
    const { found, read } = await inspectObject(ports, item, hashes);
    objects += 1;
    bytes += read;
    if (found !== null && (await itemExists(ports, item))) wanted.set(item.fullName, { item, problem: found });
    if (wanted.size === BATCH) await settle();
    onProgress?.({ objects, bytes });
  }
  if (wanted.size > 0) await settle();
  return { objects, bytes, repaired, problems };
}

async function repairBatch(
  ports: Needs,
  source: ObjectSource,
  wanted: ReadonlyMap<string, Wanted>,
  { onRepaired, onProblem, onSourceFailure }: RepairOptions,
) {
  const outcomes = new Map<string, Outcome>();
  try {
    for await (const object of source.objects(new Set(wanted.keys()))) {
      const { item } = wanted.get(object.name) ?? {};
      // A backup that has it twice may have it right the second time.
      if (item === undefined || outcomes.get(object.name) === 'repaired') continue;
      outcomes.set(object.name, await repairObject(ports, item, object));
    }
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    onSourceFailure(error);
  }
  let [repaired, problems] = [0, 0];
  for (const [key, { item, problem }] of wanted) {
    const outcome = outcomes.get(key) ?? 'absent';
    if (outcome === 'repaired') {
      repaired += 1;
      onRepaired(problem);
    } else if (outcome !== 'deleted' && (await itemExists(ports, item))) {
      problems += 1;
      onProblem({ ...problem, source: outcome });
    }
  }
  return { repaired, problems };
}

/** Of an object that the source has. Where it isn't `repaired`, the storage is as it was. */
type Outcome = 'repaired' | 'damaged' | 'deleted';

async function repairObject(ports: Needs, item: ActiveMedia, { sha256, body }: BackupMember): Promise<Outcome> {
  const { size } = item.content;
  const staged = await ports.storage.stage(wrapSourceErrors(body), { limit: size }).catch((error: unknown) => {
    if (error instanceof LimitExceeded || error instanceof SourceFailure) return null;
    throw error;
  });
  if (staged === null) return 'damaged';
  try {
    const expected = item.content.sha256 ?? sha256;
    const wanted = { ...item, content: { ...item.content, sha256: expected } };
    const found = { size: staged.size, ...(staged.sha256 !== null && { sha256: staged.sha256 }) };
    if (compareObject(wanted, found) !== null) return 'damaged';
    // Deleted while its bytes were brought: an object that nobody wants isn't put anywhere.
    if (!(await itemExists(ports, item))) return 'deleted';
    await staged.replace(item.fullName);
    return 'repaired';
  } finally {
    await staged.discard();
  }
}
