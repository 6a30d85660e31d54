import { Button } from '../ui/button.tsx';

/** Opens a chooser of files, which go to the given folder; null is the library's top. */
export const UploadButton = ({ folder }: { readonly folder: string | null }) => (
  <Button variant="primary" data-folder={folder}>
    Upload
  </Button>
);
