import { lazy, Suspense, useState } from 'react';
import { client } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';

const FolderNameDialog = lazy(async () => ({
  default: (await import('./folder-name-dialog.tsx')).FolderNameDialog,
}));

/** Creates a folder in the given one; null is the library's root. */
export function NewFolderButton({ folder }: { readonly folder: string | null }) {
  const { id: workspace } = useWorkspace();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>New folder</Button>
      {isOpen && (
        <Suspense>
          <FolderNameDialog
            title="New folder"
            action="Create"
            onClose={() => setIsOpen(false)}
            onSubmit={(name) => client.trpc.folders.create.mutate({ workspace, name, parent_id: folder })}
          />
        </Suspense>
      )}
    </>
  );
}
