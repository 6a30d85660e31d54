import { lazy, Suspense, useState } from 'react';
import { client } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { MOST_LEVELS, TOO_DEEP } from './folder-rows.ts';
import { useFolderPath } from './use-folders.ts';

const FolderNameDialog = lazy(async () => ({
  default: (await import('./folder-name-dialog.tsx')).FolderNameDialog,
}));

/** Creates a folder in the given one; null is the library's root. */
export function NewFolderButton({ folder }: { readonly folder: string | null }) {
  const { id: workspace } = useWorkspace();
  const [isOpen, setIsOpen] = useState(false);
  const path = useFolderPath(isOpen ? folder : null);
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>New folder</Button>
      {isOpen && (
        <Suspense>
          <FolderNameDialog
            title="New folder"
            action="Create"
            refusal={path && path.length >= MOST_LEVELS ? TOO_DEEP : null}
            onClose={() => setIsOpen(false)}
            onSubmit={(name) => client.trpc.folders.create.mutate({ workspace, name, parent_id: folder })}
          />
        </Suspense>
      )}
    </>
  );
}
