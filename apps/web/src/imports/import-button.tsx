import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

/** Asks for a URL that the service fetches into the given folder; null is the library's top. */
export function ImportButton({ folder }: { readonly folder: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Import from URL</Button>
      {isOpen && (
        <Suspense>
          <ImportDialog folder={folder} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
