import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useTypedSearch } from '@postshelf/browser/ui/use-typed-search.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Input, SearchField } from 'react-aria-components';
import { useFolder, useIsFolderGone } from '../folders/use-folders.ts';
import { readAll } from '../service/read-all.ts';
import { client, trpc } from '../service/service.ts';
import { offerSearch } from '../shortcuts/media-search.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { FilterIcon } from '../ui/icons.tsx';
import { Select } from '../ui/select.tsx';
import { PHONE, useMediaQuery } from '../ui/use-media-query.ts';
import { useTitle } from '../ui/use-title.ts';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { ImportButton, NewFolderButton, UploadButton } from './add-media.tsx';
import { isSameTag } from './selection/tags.ts';
import type { useMediaFilter } from './use-media-filter.ts';
import { SizeSlider, ViewChoice } from './view/view-controls.tsx';

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
  { value: 'updated_at', label: 'Least recently changed' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: '-size', label: 'Largest first' },
  { value: 'size', label: 'Smallest first' },
] as const;

interface LibraryHeaderProps {
  readonly place: ReturnType<typeof useMediaFilter>;
}

/** Shows the current folder, search and filters, and the buttons that add media. */
export function LibraryHeader({ place }: LibraryHeaderProps) {
  const { filter, folder, changeQuery } = place;
  const title = useLibraryTitle(place);
  const isGone = useIsFolderGone(folder);
  const mayAdd = useMay('media:write') && !isGone;
  const mayAddFolders = useMay('folders:write') && !isGone;
  const isSmall = useMediaQuery(PHONE);
  return (
    <header className="library-header">
      <h1>{title}</h1>
      <div className="library-filters">
        <Search value={filter.search ?? ''} onSearch={(search) => changeQuery({ search: search || undefined })} />
        {isSmall ? <FiltersButton place={place} /> : <Filters place={place} isLabelHidden />}
        {!isSmall && <SizeSlider isLabelHidden />}
        <ViewChoice />
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

/** Returns the title of what the list shows: a folder, or all media. */
function useLibraryTitle({ folder }: ReturnType<typeof useMediaFilter>): string {
  const name = useFolder(folder)?.name;
  if (useIsFolderGone(folder)) return 'Not found';
  return folder === null ? 'All media' : (name ?? '…');
}

/** Sets the title of the tab, unless an item is open, which sets its own. */
export function useTabTitle(place: ReturnType<typeof useMediaFilter>): void {
  const title = useLibraryTitle(place);
  useTitle(place.item === null ? title : null);
}

interface FiltersProps {
  readonly place: ReturnType<typeof useMediaFilter>;
  readonly isLabelHidden?: boolean;
}

function Filters({ place: { filter, changeQuery }, isLabelHidden = false }: FiltersProps) {
  return (
    <>
      <Select
        label="Type"
        isLabelHidden={isLabelHidden}
        value={filter.type ?? ''}
        options={TYPES}
        onChange={(type) => changeQuery({ type: type || undefined })}
      />
      <Select
        label="Status"
        isLabelHidden={isLabelHidden}
        value={filter.status ?? ''}
        options={STATUSES}
        onChange={(status) => changeQuery({ status: status || undefined })}
      />
      <TagSelect value={filter.tag} isLabelHidden={isLabelHidden} onChange={(tag) => changeQuery({ tag })} />
      <Select
        label="Sort"
        isLabelHidden={isLabelHidden}
        value={filter.sort}
        options={SORTS}
        onChange={(sort) => changeQuery({ sort })}
      />
    </>
  );
}

/** A button that opens the filters in a dialog, for small screens. A dot on the button shows that filters are set. */
function FiltersButton({ place }: FiltersProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { type, status, tag } = place.filter;
  const isFiltered = [type, status, tag].some((value) => value !== undefined);
  return (
    <>
      <Button className="library-filter" data-filtered={isFiltered || undefined} onPress={() => setIsOpen(true)}>
        <FilterIcon />
        Filters
      </Button>
      <Dialog title="Filters" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div className="library-filter-fields">
          <Filters place={place} />
          <SizeSlider />
        </div>
        <DialogActions>
          {isFiltered && (
            <Button onPress={() => place.changeQuery({ type: undefined, status: undefined, tag: undefined })}>
              Clear
            </Button>
          )}
          <Button variant="primary" onPress={() => setIsOpen(false)}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

interface TagSelectProps {
  readonly value?: string | undefined;
  readonly isLabelHidden: boolean;
  onChange(tag?: string): void;
}

/** The tag filter. The URL's tag may be spelled differently from the list's, or no item has it any more. */
function TagSelect({ value = '', isLabelHidden, onChange }: TagSelectProps) {
  const tags = useTags();
  const known = tags.find((tag) => isSameTag(tag, value)) ?? value;
  const options = known === '' || tags.includes(known) ? tags : [known, ...tags];
  return (
    <Select
      label="Tag"
      isLabelHidden={isLabelHidden}
      value={known}
      options={[{ value: '', label: 'Any tag' }, ...options.map((tag) => ({ value: tag, label: tag }))]}
      onChange={(tag) => onChange(tag || undefined)}
    />
  );
}

interface SearchProps {
  readonly value: string;
  onSearch(search: string): void;
}

/** The search field. The search is part of the URL. */
function Search({ value, onSearch }: SearchProps) {
  const [typed, setTyped] = useTypedSearch(value, onSearch);
  const input = useRef<HTMLInputElement>(null);
  const focus = useStableCallback((): void => {
    input.current?.focus();
    input.current?.select();
  });
  useEffect(() => offerSearch(focus), [focus]);
  return (
    <SearchField aria-label="Search media" value={typed} onChange={setTyped} className="field library-search">
      <Input ref={input} dir="auto" placeholder="Search media" maxLength={250} />
    </SearchField>
  );
}

/** Maximum number of tags in the filter. The search also finds media by other tags. */
const MAX_TAGS = 500;

/** Returns the workspace's tags in the order in which the service lists them. */
function useTags(): readonly string[] {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: [...trpc.media.tags.pathKey(), workspace],
    queryFn: ({ signal }) => readTags(workspace, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? [];
}

async function readTags(workspace: string, signal: AbortSignal): Promise<string[]> {
  const { rows } = await readAll(client.trpc.media.tags, { workspace }, { signal, max: MAX_TAGS });
  return rows.map(({ tag }) => tag);
}
