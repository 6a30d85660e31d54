import { Button } from '../ui/button.tsx';

/** Asks for a URL that the service fetches into the given folder; null is the library's top. */
export const ImportButton = ({ folder }: { readonly folder: string | null }) => (
  <Button data-folder={folder}>Import from URL</Button>
);
