import { CHOOSABLE } from '@postshelf/browser/uploads/upload.ts';
import { useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { LazyNewFolderDialog } from '../folders/lazy-new-folder-dialog.ts';
import { usePageCommand } from '../shortcuts/page-commands.ts';
import { Button } from '../ui/button.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useUploading } from '../uploads/use-uploading.ts';

const ImportDialog = lazyDialog(async () => (await import('../imports/import-dialog.tsx')).ImportDialog);

/** A button that imports a URL into the folder. A null folder is the library's root. */
export function ImportButton({ folder }: { readonly folder: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  usePageCommand('Import from URL', () => setIsOpen(true));
  return (
    <>
      <Button aria-label="Import from URL" onPress={() => setIsOpen(true)}>
        <span>
          Import<span className="library-wide"> from URL</span>
        </span>
      </Button>
      {isOpen && <ImportDialog folder={folder} onClose={() => setIsOpen(false)} />}
    </>
  );
}

interface UploadButtonProps {
  /** null is the library's root. */
  readonly folder: string | null;
  readonly label?: string;
}

/** A button that lets the user choose files, and uploads them to the folder. */
export function UploadButton({ folder, label = 'Upload' }: UploadButtonProps) {
  const upload = useUploading(folder);
  const input = useRef<HTMLInputElement>(null);
  usePageCommand(label, () => input.current?.click());
  return (
    <FileTrigger
      ref={input}
      allowsMultiple
      acceptedFileTypes={CHOOSABLE}
      onSelect={(files) => upload(async () => Array.from(files ?? [], (file) => ({ file, path: [] })))}
    >
      <Button variant="primary">{label}</Button>
    </FileTrigger>
  );
}

/** A button that creates a subfolder of the folder. A null folder is the library's root. */
export function NewFolderButton({ folder }: { readonly folder: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  usePageCommand('New folder', () => setIsOpen(true));
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>New folder</Button>
      {isOpen && <LazyNewFolderDialog folder={folder} onClose={() => setIsOpen(false)} />}
    </>
  );
}
