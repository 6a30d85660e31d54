import { useTypedSearch } from '@postshelf/browser/ui/use-typed-search.ts';
import { Input, SearchField } from 'react-aria-components';
import { NewFolderButton } from '../folders/new-folder-button.tsx';
import { useFolder } from '../folders/use-folders.ts';
import { Select } from '../ui/select.tsx';
import { useTitle } from '../ui/use-title.ts';
import { useMay } from '../workspaces/use-may.ts';
import { ImportButton, UploadButton } from './add-media.tsx';
import { isSameTag } from './selection/tags.ts';
import type { useMediaFilter } from './use-media-filter.ts';
import { useTags } from './use-tags.ts';

const TYPES = [
  { value: '', label: 'Any type' },
  { value: 'image', label: 'Images' },
  { value: 'video', label: 'Videos' },
] as const;

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: 'active', label: 'Active' },
  { value: 'processing', label: 'Processing' },
  { value: 'failed', label: 'Failed' },
  { value: 'temporary', label: 'Temporary' },
] as const;

const SORTS = [
  { value: '-created_at', label: 'Newest first' },
  { value: 'created_at', label: 'Oldest first' },
  { value: '-updated_at', label: 'Recently changed' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: '-size', label: 'Largest first' },
  { value: 'size', label: 'Smallest first' },
] as const;

/** The current folder, search and filters, and the buttons that add media. */
export function LibraryHeader({ place }: { readonly place: ReturnType<typeof useMediaFilter> }) {
  const { filter, folder, look } = place;
  const name = useFolder(folder)?.name;
  const mayAdd = useMay('media:write');
  const mayAddFolders = useMay('folders:write');
  const title = folder === null ? 'All media' : (name ?? '…');
  // An open item sets the title of the tab.
  useTitle(place.item === null ? title : null);
  return (
    <header className="library-header">
      <h1>{title}</h1>
      <div className="library-filters">
        <Search value={filter.search ?? ''} onSearch={(search) => look({ search: search || undefined })} />
        <Select
          label="Type"
          isLabelHidden
          value={filter.type ?? ''}
          options={TYPES}
          onChange={(type) => look({ type: type || undefined })}
        />
        <Select
          label="Status"
          isLabelHidden
          value={filter.status ?? ''}
          options={STATUSES}
          onChange={(status) => look({ status: status || undefined })}
        />
        <TagSelect value={filter.tag} onChange={(tag) => look({ tag })} />
        <Select label="Sort" isLabelHidden value={filter.sort} options={SORTS} onChange={(sort) => look({ sort })} />
      </div>
      {(mayAdd || mayAddFolders) && (
        <div className="library-actions">
          {mayAddFolders && <NewFolderButton folder={folder} />}
          {mayAdd && <ImportButton folder={folder} />}
          {mayAdd && <UploadButton folder={folder} />}
        </div>
      )}
    </header>
  );
}

/** A tag in the address may be written otherwise than in the list, or be on no item any more. */
function TagSelect({ value = '', onChange }: { readonly value?: string | undefined; onChange(tag?: string): void }) {
  const tags = useTags();
  const known = tags.find((tag) => isSameTag(tag, value)) ?? value;
  const options = known === '' || tags.includes(known) ? tags : [known, ...tags];
  return (
    <Select
      label="Tag"
      isLabelHidden
      value={known}
      options={[{ value: '', label: 'Any tag' }, ...options.map((tag) => ({ value: tag, label: tag }))]}
      onChange={(tag) => onChange(tag || undefined)}
    />
  );
}

/** The search field. The search is part of the address. */
function Search({ value, onSearch }: { readonly value: string; onSearch(search: string): void }) {
  const [typed, setTyped] = useTypedSearch(value, onSearch);
  return (
    <SearchField aria-label="Search media" value={typed} onChange={setTyped} className="field library-search">
      <Input placeholder="Search media" maxLength={250} />
    </SearchField>
  );
}
