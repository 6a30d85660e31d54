import {
  type ActiveMedia,
  BackupError,
  type BackupMember,
  type Digester,
  kindOf,
  LimitExceeded,
  type ObjectSource,
} from '@postshelf/domain';
import { SourceFailure, wrapSourceErrors } from '../copy/copy-problem.ts';
import type { Ports } from '../ports.ts';
import { allActive } from '../verify/all-active.ts';
import { compareObject, itemExists, type ObjectProblem, type Progress } from '../verify/object-problem.ts';
import { verifyObject } from '../verify/verify.ts';

export interface UnrepairedProblem extends ObjectProblem {
  /** `absent`: the source has no such object; `damaged`: the source's bytes are wrong as well. */
  readonly source: 'absent' | 'damaged';
}

export interface RepairOptions {
  /** Whether existing objects are hashed. Restored bytes are always hashed. */
  readonly hashes: boolean;
  readonly onRepaired: (problem: ObjectProblem) => void;
  readonly onProblem: (problem: UnrepairedProblem) => void;
  /**
   * Called if the source fails. Objects that were read before the failure are restored; the rest are reported as
   * absent.
   */
  readonly onSourceFailure: (error: BackupError) => void;
  readonly onProgress?: (progress: Progress) => void;
}

export interface RepairReport extends Progress {
  readonly repaired: number;
  readonly problems: number;
}

type RepairPorts = Pick<Ports, 'media' | 'storage' | 'previews' | 'previewStorage'> & { readonly digest: Digester };

/** Number of problems that are held in memory and repaired in one pass over the source. */
const BATCH = 10_000;

interface Wanted {
  readonly item: ActiveMedia;
  readonly problem: ObjectProblem;
}

/**
 * Checks the objects of all active items, and restores missing or damaged ones from a source whose bytes match the row.
 * Intact objects, and objects without a row, aren't touched. The repair may be killed and run again, even while the
 * service runs.
 *
 * @throws Refusal `unavailable` if the storage or the database can't be used
 */
export async function repair(ports: RepairPorts, source: ObjectSource, options: RepairOptions): Promise<RepairReport> {
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
    const { found, read } = await verifyObject(ports, item, hashes);
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
  ports: RepairPorts,
  source: ObjectSource,
  wanted: ReadonlyMap<string, Wanted>,
  { onRepaired, onProblem, onSourceFailure }: RepairOptions,
) {
  const outcomes = new Map<string, Outcome>();
  try {
    for await (const object of source.objects(new Set(wanted.keys()))) {
      const { item } = wanted.get(object.name) ?? {};
      // A backup may contain an object twice, for example first damaged and then intact.
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

type Outcome = 'repaired' | 'damaged' | 'deleted';

async function repairObject(ports: RepairPorts, item: ActiveMedia, { sha256, body }: BackupMember): Promise<Outcome> {
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
    // The item was deleted while its bytes were copied, so the object isn't needed.
    if (!(await itemExists(ports, item))) return 'deleted';
    // The previews are purged twice: before the object is replaced, so that a killed process leaves no previews of the
    // damaged bytes, and afterwards, because a request may have made one in between.
    await purgePreviews(ports, item);
    await staged.replace(item.fullName, item.content.type);
    await purgePreviews(ports, item);
    return 'repaired';
  } finally {
    await staged.discard();
  }
}

/** Purges an image's previews, and clears the record that its previews can't be made. */
async function purgePreviews({ previews, previewStorage }: RepairPorts, item: ActiveMedia): Promise<void> {
  if (kindOf(item.content.type) !== 'image') return;
  await previews.store(item.id, { hasFailed: false, placeholder: null });
  await previewStorage.purge(item);
}
