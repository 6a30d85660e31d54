import '@postshelf/browser/media/media-grid.css';
import { MediaTile } from '@postshelf/browser/media/media-tile.tsx';
import { MediaTiles } from '@postshelf/browser/media/media-tiles.tsx';
import { Skeleton } from '@postshelf/browser/media/skeleton.tsx';
import { type MediaGridOptions, useMediaGrid } from '@postshelf/browser/media/use-media-grid.ts';
import { INITIALLY_VISIBLE, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useTypedSearch } from '@postshelf/browser/ui/use-typed-search.ts';
import { CHOOSABLE, isFinished } from '@postshelf/browser/uploads/upload.ts';
import { useState } from 'react';
import { FileTrigger, Input, SearchField, type Selection } from 'react-aria-components';
import { type Folder, MAX_LEVELS } from '../folders/folder-rows.ts';
import { useAllFolders } from '../folders/use-folders.ts';
import { useMediaPages } from '../media/use-media-pages.ts';
import { sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { Select } from '../ui/select.tsx';
import { useUploads } from '../uploads/uploads.ts';
import { useUploading } from '../uploads/use-uploading.ts';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

interface ChooseMediaProps {
  onChoose(ids: readonly string[]): void;
  onClose(): void;
}

/** Chooses active media of the workspace, in the order in which they are selected. */
export function ChooseMedia({ onChoose, onClose }: ChooseMediaProps) {
  const { id: workspace } = useWorkspace();
  const [search, setSearch] = useState('');
  const [typed, setTyped] = useTypedSearch(search, setSearch);
  const [visible, setVisible] = useState(INITIALLY_VISIBLE);
  const [folder, setFolder] = useState('');
  const folders = useAllFolders();
  const mayUpload = useMay('media:write');
  // Uploaded items are new, so they come first in the list.
  const upload = useUploading(folder || null);
  const filter = {
    workspace,
    status: 'active',
    sort: '-created_at',
    ...(search && { search }),
    ...(folder && { folder_id: folder }),
  } as const;
  const { rows, state, error } = useMediaPages(filter, visible);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const select = useStableCallback((selection: Selection) => {
    const keys = selection === 'all' ? Array.from({ length: rows.size }, (_, at) => rows.keyAt(at)) : [...selection];
    // Rows that haven't been read have no item id yet, so they can't be chosen.
    setChosen(
      new Set(keys.map(String).filter((key) => chosen.has(key) || rows.valueAt(rows.indexOf(key))?.id === key)),
    );
  });
  return (
    <Dialog title="Choose media" isOpen isWide onClose={onClose}>
      <div className="choose-fields">
        <SearchField aria-label="Search media" value={typed} onChange={setTyped} className="field" autoFocus>
          <Input dir="auto" placeholder="Search media" maxLength={250} />
        </SearchField>
        <Select
          label="Folder"
          isLabelHidden
          value={folder}
          options={[{ value: '', label: 'All folders' }, ...folderOptions(folders)]}
          onChange={setFolder}
        />
        {mayUpload && (
          <FileTrigger
            allowsMultiple
            acceptedFileTypes={CHOOSABLE}
            onSelect={(files) => upload(async () => Array.from(files ?? [], (file) => ({ file, path: [] })))}
          >
            <Button>Upload</Button>
          </FileTrigger>
        )}
      </div>
      <Uploading />
      <div className="choose-media">
        {state === 'failed' && <p role="alert">{sentenceOf(error)}</p>}
        {state === 'loading' && <Skeleton />}
        {state === 'ready' && rows.size === 0 && <p>{search ? 'No media match.' : 'No media yet.'}</p>}
        {state === 'ready' && rows.size > 0 && (
          <ChoiceGrid
            key={`${folder} ${search}`}
            rows={rows}
            selected={new Set(chosen)}
            onSelect={select}
            onVisibleChange={setVisible}
          />
        )}
      </div>
      <DialogActions>
        <CancelButton onPress={onClose} />
        <ConfirmButton
          reason={chosen.size === 0 ? 'Nothing chosen.' : null}
          onPress={() => {
            onChoose([...chosen]);
            onClose();
          }}
        >
          {chosen.size === 0 ? 'Choose' : `Choose ${plural(chosen.size, 'item')}`}
        </ConfirmButton>
      </DialogActions>
    </Dialog>
  );
}

/** Shows that files are being uploaded, because the list of uploads is behind the dialog. */
function Uploading() {
  const uploads = useUploads();
  const rest = uploads.filter((upload) => !isFinished(upload)).length;
  return (
    <p role="status" className="choose-uploading">
      {rest > 0 && `Uploading ${plural(rest, 'file')}…`}
    </p>
  );
}

/** Returns folders labelled by their paths, so that those with the same name can be distinguished. */
function folderOptions(folders: readonly Folder[]) {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const pathOf = (folder: Folder, depth = 0): string => {
    const parent = folder.parent_id === null ? undefined : byId.get(folder.parent_id);
    return parent && depth < MAX_LEVELS ? `${pathOf(parent, depth + 1)} / ${folder.name}` : folder.name;
  };
  return folders
    .map((folder) => ({ value: folder.id, label: pathOf(folder) }))
    .sort((one, other) => one.label.localeCompare(other.label, 'en'));
}

interface ChoiceGridProps extends Pick<MediaGridOptions, 'rows' | 'selected' | 'onSelect'> {
  onVisibleChange(visible: VisibleRows): void;
}

function ChoiceGrid({ onVisibleChange, ...options }: ChoiceGridProps) {
  const grid = useMediaGrid({ ...options, selectionMode: 'multiple', selectionBehavior: 'toggle' });
  return (
    <div {...grid.gridProps} ref={grid.ref} className="grid">
      <MediaTiles grid={grid} onVisibleChange={onVisibleChange} renderTile={(tile) => <MediaTile {...tile} />} />
    </div>
  );
}
