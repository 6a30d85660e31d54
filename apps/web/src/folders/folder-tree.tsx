import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useMediaTotal } from '../service/live.ts';
import { sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import type { MenuPlace } from '../ui/context-menu.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { type FolderAction, FolderMenu, type FolderTask } from './folder-menu.tsx';
import type { Folder } from './folder-rows.ts';
import { TreeList } from './tree-list.tsx';
import { useExpanded } from './use-expanded.ts';
import { useFolderRows, useFolderTotals } from './use-folders.ts';
import { useMoveFolder } from './use-move-folder.ts';

const NewFolderDialog = lazy(async () => ({ default: (await import('./new-folder-dialog.tsx')).NewFolderDialog }));
const FolderDialog = lazy(async () => ({ default: (await import('./folder-dialog.tsx')).FolderDialog }));

/** The workspace's folders, "All media" on top. */
export function FolderTree() {
  const { id: shown } = useWorkspace();
  const { folder } = useParams({ strict: false });
  const { folder: behind, workspace } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = folder ?? behind ?? null;
  const isLibrary = useRouterState({ select: ({ location }) => /^\/($|folders\/|media\/)/.test(location.pathname) });
  const { expanded, toggle } = useExpanded(open);
  const { rows, note, error, retry } = useFolderRows(expanded);
  const total = useMediaTotal(shown);
  const totals = useFolderTotals();
  const [menu, setMenu] = useState<{ readonly folder: Folder; readonly place: MenuPlace }>();
  const [task, setTask] = useState<{ readonly folder: Folder; readonly task: FolderTask }>();
  const [parent, setParent] = useState<string>();
  const move = useMoveFolder();
  const mayChange = useMay('folders:write');
  const mayMoveMedia = useMay('media:write');
  const go = (to: string | null): void => {
    const search = workspace === undefined ? {} : { workspace };
    void (to === null
      ? navigate({ to: '/', search })
      : navigate({ to: '/folders/$folder', params: { folder: to }, search }));
  };
  const act = (of: Folder, action: FolderAction): void => {
    if (action === 'open') go(of.id);
    else if (action === 'new') setParent(of.id);
    else setTask({ folder: of, task: action });
  };
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
        onMenu={(of, at) => setMenu({ folder: of, place: at })}
        onRename={mayChange ? (renamed) => setTask({ folder: renamed, task: 'rename' }) : undefined}
        onMove={mayChange || mayMoveMedia ? move : undefined}
      />
      {note && <p className="folders-note">{note}</p>}
      {menu && (
        <FolderMenu
          {...menu}
          mayChange={mayChange}
          onClose={() => setMenu(undefined)}
          onAction={(action) => act(menu.folder, action)}
        />
      )}
      {parent !== undefined && (
        <Suspense>
          <NewFolderDialog folder={parent} onClose={() => setParent(undefined)} />
        </Suspense>
      )}
      {task && (
        <Suspense>
          <FolderDialog
            {...task}
            onClose={() => setTask(undefined)}
            onDeleted={() => open === task.folder.id && go(task.folder.parent_id)}
          />
        </Suspense>
      )}
    </section>
  );
}
