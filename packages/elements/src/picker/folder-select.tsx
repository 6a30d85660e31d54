import { useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PickerSession } from './picker-session.ts';
import { statusOf } from './sentences.ts';
import { useWords } from './words.ts';

export interface FolderSelectProps {
  readonly session: PickerSession;
  readonly workspace: string;
  /** The shown folder; null for all media. */
  readonly folder: string | null;
  onFolder(folder: string | null): void;
}

/**
 * Lets the user choose the current folder, one of its ancestors or one of its subfolders. Nothing is shown if there are
 * no folders, or if the token isn't allowed to read them.
 */
export function FolderSelect({ session, workspace, folder, onFolder }: FolderSelectProps) {
  const words = useWords();
  const [found] = useQueries(
    {
      queries: [
        {
          queryKey: ['folders', workspace, folder],
          queryFn: () => session.attempt(() => readFolders(session, workspace, folder)),
          placeholderData: <T,>(before: T) => before,
          retry: false,
        },
      ],
    },
    session.queries,
  );
  // Somebody has deleted the folder, so there is nothing left to show or to upload to.
  const isGone = folder !== null && statusOf(found.error) === 404;
  useEffect(() => {
    if (isGone) onFolder(null);
  }, [isGone, onFolder]);
  if (!found.data?.length) return null;
  return (
    <div className="field picker-kind">
      <select aria-label={words.folder} value={folder ?? ''} onChange={({ target }) => onFolder(target.value || null)}>
        <option value="">{words.allMedia}</option>
        {found.data.map(({ id, name, depth }) => (
          <option key={id} value={id}>
            {'\u2003'.repeat(depth) + name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Reads the folder with its ancestors, and up to a hundred of its subfolders. */
async function readFolders({ client: { trpc } }: PickerSession, workspace: string, folder: string | null) {
  const path: { id: string; name: string }[] = [];
  for (let next = folder; next !== null; ) {
    const { data } = await trpc.folders.get.query({ folder: next });
    path.unshift(data);
    next = data.parent_id;
  }
  const { data } = await trpc.folders.list.query({ workspace, parent_id: folder ?? 'root', per_page: 100 });
  const inside = data.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
  return [
    ...path.map(({ id, name }, depth) => ({ id, name, depth })),
    ...inside.map(({ id, name }) => ({ id, name, depth: path.length })),
  ];
}
