import { useRouter } from '@tanstack/react-router';
import { refresh } from '../service/live.ts';
import { client } from '../service/service.ts';
import { NameDialog } from '../ui/name-dialog.tsx';
import { useNotify } from '../ui/notices.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { MAX_LEVELS, TOO_DEEP } from './folder-rows.ts';
import { toggleFolder } from './use-expanded.ts';
import { useFolderPath } from './use-folders.ts';

interface NewFolderDialogProps {
  readonly folder: string | null;
  onClose(): void;
}

/** Creates a folder in the given folder, and expands the given folder in the tree; null is the library's root. */
export function NewFolderDialog({ folder, onClose }: NewFolderDialogProps) {
  const { id: workspace } = useWorkspace();
  const showNotice = useMadeNotice();
  const create = async (name: string): Promise<void> => {
    const { data } = await client.trpc.folders.create.mutate({ workspace, name, parent_id: folder });
    if (folder !== null) toggleFolder(workspace, folder, true);
    void refresh('folders');
    showNotice(data);
  };
  const path = useFolderPath(folder);
  return (
    <NameDialog
      title="New folder"
      action="Create"
      refusal={path && path.length >= MAX_LEVELS ? TOO_DEEP : null}
      onClose={onClose}
      onSubmit={create}
    />
  );
}

/** Shows a notice about a new folder, with a link to it. */
function useMadeNotice() {
  const notify = useNotify();
  const router = useRouter();
  const { id: workspace } = useWorkspace();
  return ({ id, name }: { readonly id: string; readonly name: string }): void => {
    const place = { to: '/folders/$folder', params: { folder: id }, search: { workspace } } as const;
    const { publicHref } = router.buildLocation(place);
    const link = {
      label: 'Open it',
      href: router.history.createHref(publicHref),
      follow: () => void router.navigate(place),
    };
    notify({ text: `${name} was created.`, link });
  };
}
