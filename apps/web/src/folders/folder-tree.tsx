import { useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMediaTotal } from '../service/live.ts';
import { sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { TreeList } from './tree-list.tsx';
import { toggleFolder, useExpanded } from './use-expanded.ts';
import { useFolderMenu, useOpenFolder } from './use-folder-menu.tsx';
import { useFolderRows, useFolderTotals } from './use-folders.ts';
import { useMoveFolder } from './use-move-folder.ts';

/** Shows the workspace's folders, with "All media" at the top. */
export function FolderTree() {
  const { id: shown } = useWorkspace();
  const { folder } = useParams({ strict: false });
  const { folder: behind } = useSearch({ strict: false });
  const open = folder ?? behind ?? null;
  const isLibrary = useRouterState({ select: ({ location }) => /^\/($|folders\/|media\/)/.test(location.pathname) });
  const { expanded, toggle } = useExpanded(open);
  const { rows, note, gone, error, retry } = useFolderRows(expanded);
  // Without this, a folder that others have deleted would be read again after each change.
  useEffect(() => {
    for (const id of gone) toggleFolder(shown, id, false);
  }, [shown, gone]);
  const total = useMediaTotal(shown);
  const totals = useFolderTotals();
  const go = useOpenFolder();
  const menus = useFolderMenu((deleted) => open === deleted.id && go(deleted.parent_id));
  const move = useMoveFolder();
  const mayMoveMedia = useMay('media:write');
  return (
    <section className="folders" aria-label="Folders of the library">
      <h2>Folders</h2>
      {error && (
        <p role="alert">
          {sentenceOf(error)} <Button onPress={retry}>Try again</Button>
        </p>
      )}
      <TreeList
        label="Folders"
        rows={rows}
        current={isLibrary ? open : undefined}
        total={total}
        totalOf={({ id }) => totals.get(id)?.media}
        onOpen={go}
        onToggle={toggle}
        onMenu={menus.open}
        onRename={menus.rename}
        onMove={menus.rename || mayMoveMedia ? move : undefined}
      />
      {note && <p className="folders-note">{note}</p>}
      {menus.element}
    </section>
  );
}
