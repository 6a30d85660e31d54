import { lazy, Suspense, useState } from 'react';
import { usePageCommand } from '../shortcuts/page-commands.ts';
import { Button } from '../ui/button.tsx';

const NewFolderDialog = lazy(async () => ({ default: (await import('./new-folder-dialog.tsx')).NewFolderDialog }));

/** Creates a folder in the given one; null is the library's root. */
export function NewFolderButton({ folder }: { readonly folder: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  usePageCommand('New folder', () => setIsOpen(true));
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>New folder</Button>
      {isOpen && (
        <Suspense>
          <NewFolderDialog folder={folder} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
