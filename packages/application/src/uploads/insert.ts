import type { MediaWithCover, NewFile, OnDuplicate, Uuid } from '@postshelf/domain';
import type { StagedItem } from '../covers/stage-cover.ts';
import type { Ports } from '../ports.ts';
import type { Completing } from '../repeats/answer-once.ts';
import { Publication, type PublicationPorts } from './publish.ts';

type StorePorts = PublicationPorts & Pick<Ports, 'media' | 'uploads' | 'duplicates'>;

/**
 * Stores the files of a request, all or none: covers, objects and then the rows in one transaction. With `return`, an
 * item that has a file's bytes already is returned instead; of equal files in the request one is stored.
 *
 * @param signal aborted when the client has gone: nothing is stored then
 * @returns an item for each file, in order; null, and nothing is stored, if the folder isn't in the workspace (any
 * more)
 */
export async function storeFiles(
  ports: StorePorts,
  workspaceId: Uuid,
  files: readonly StagedItem[],
  onDuplicate: OnDuplicate,
  signal?: AbortSignal,
  complete?: Completing<readonly MediaWithCover[]>,
): Promise<readonly MediaWithCover[] | null> {
  const publication = new Publication(ports, signal);
  try {
    if (onDuplicate === 'keep') return await keepAll(ports, publication, files, complete);
    return await keepNew(ports, publication, workspaceId, files, complete);
  } finally {
    await publication.end();
  }
}

async function keepAll(
  { media }: Pick<Ports, 'media'>,
  publication: Publication,
  files: readonly StagedItem[],
  complete: Completing<readonly MediaWithCover[]>,
): Promise<readonly MediaWithCover[] | null> {
  await publication.add(files);
  const rows = publication.files.flatMap(({ item, cover }) => (cover && cover !== 'due' ? [item, cover] : [item]));
  const due = publication.files.filter(({ cover }) => cover === 'due').map(({ item }) => item.id);
  const stored = publication.files.map(withoutDueCover);
  const insert = () => media.insert(rows, due, complete?.(stored));
  const answer = await publication.insert(insert, (said) => (said === 'kept' ? stored : []));
  return answer === 'kept' ? stored : null;
}

async function keepNew(
  { uploads, duplicates }: Pick<Ports, 'uploads' | 'duplicates'>,
  publication: Publication,
  workspaceId: Uuid,
  files: readonly StagedItem[],
  complete: Completing<readonly MediaWithCover[]>,
): Promise<readonly MediaWithCover[] | null> {
  const byHash = firstByHash(files);
  const known = new Map<string, MediaWithCover>();
  for (const sha256 of byHash.keys()) {
    const found = await duplicates.find(workspaceId, sha256);
    if (found) known.set(sha256, found);
  }
  const others = [...byHash].filter(([sha256]) => !known.has(sha256)).map(([, file]) => file);
  // All of them existed when they were read.
  if (others.length === 0) return inOrder(files, known);
  await publication.add(others);
  const completeInOrder: Completing<ReadonlyMap<string, MediaWithCover>> =
    complete && ((items) => complete(inOrder(files, items)));
  const insert = (expected: readonly string[]) =>
    publication.insert(
      () => uploads.insertNew(workspaceId, publication.files, expected, completeInOrder),
      (said) => (typeof said === 'string' ? [] : said.values()),
    );
  let stored = await insert([...known.keys()]);
  if (stored === 'gone') {
    // An item was deleted meanwhile. To end the retries, every file is published now, even if it has a duplicate.
    await publication.add([...byHash.values()].filter((file) => !others.includes(file)));
    stored = await insert([]);
  }
  return typeof stored === 'string' ? null : inOrder(files, stored);
}

const hashOf = ({ item }: StagedItem): string => {
  const { sha256 } = item.content;
  if (sha256 === null) throw new Error(`The hash of ${item.id} is not known.`);
  return sha256;
};

function firstByHash(files: readonly StagedItem[]): ReadonlyMap<string, StagedItem> {
  const byHash = new Map<string, StagedItem>();
  for (const file of files) if (!byHash.has(hashOf(file))) byHash.set(hashOf(file), file);
  return byHash;
}

const inOrder = (
  files: readonly StagedItem[],
  byHash: ReadonlyMap<string, MediaWithCover>,
): readonly MediaWithCover[] => files.flatMap((file) => byHash.get(hashOf(file)) ?? []);

const withoutDueCover = ({ item, cover }: NewFile): MediaWithCover => ({ item, cover: cover === 'due' ? null : cover });
