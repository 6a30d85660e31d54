import { FileTrigger } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { useUploading } from './use-uploading.ts';

/** Opens a chooser of files, which go to the given folder; null is the library's top. */
export function UploadButton({ folder }: { readonly folder: string | null }) {
  const upload = useUploading(folder);
  return (
    <FileTrigger
      allowsMultiple
      onSelect={(files) => upload(async () => Array.from(files ?? [], (file) => ({ file, path: [] })))}
    >
      <Button variant="primary">Upload</Button>
    </FileTrigger>
  );
}
