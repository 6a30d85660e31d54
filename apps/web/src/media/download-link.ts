import type { MediaItem } from '@postshelf/client';
import { root } from '../service/root.ts';

/**
 * Returns the link by which a browser saves an item's file under the item's name. It leads to the service that served
 * this page, even if the item's own link leads to another host, where browsers would show the file instead.
 */
export function downloadLink({ full_name: fullName, link }: MediaItem): string {
  const path = fullName.split('/').map(encodeURIComponent).join('/');
  const download = new URL(`files/${path}`, root);
  // The signature, in workspaces that use signed links.
  download.search = new URL(link).search;
  download.searchParams.set('download', '');
  return download.href;
}
