import { useParams, useSearch } from '@tanstack/react-router';
import { ItemPanel } from './item-panel.tsx';

/** The library: a folder's media, and the item that is open beside them. */
export function LibraryPage() {
  const { folder, item } = useParams({ strict: false });
  const search = useSearch({ from: '/library' });
  return (
    <>
      <main className="frame-page" data-folder={folder ?? search.folder}>
        <h1>All media</h1>
      </main>
      {item && <ItemPanel id={item} />}
    </>
  );
}
