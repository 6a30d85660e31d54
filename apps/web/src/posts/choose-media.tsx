import '@postshelf/browser/media/media-grid.css';
import { MediaTile } from '@postshelf/browser/media/media-tile.tsx';
import { MediaTiles } from '@postshelf/browser/media/media-tiles.tsx';
import { Skeleton } from '@postshelf/browser/media/skeleton.tsx';
import { type MediaGridOptions, useMediaGrid } from '@postshelf/browser/media/use-media-grid.ts';
import { INITIALLY_VISIBLE, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useTypedSearch } from '@postshelf/browser/ui/use-typed-search.ts';
import { useState } from 'react';
import { Input, SearchField, type Selection } from 'react-aria-components';
import { useMediaPages } from '../media/use-media-pages.ts';
import { sentenceOf } from '../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
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
  const filter = { workspace, status: 'active', sort: '-created_at', ...(search && { search }) } as const;
  const { rows, state, error } = useMediaPages(filter, visible);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const select = useStableCallback((selection: Selection) => {
    const keys = selection === 'all' ? Array.from({ length: rows.size }, (_, at) => rows.keyAt(at)) : [...selection];
    // Rows that haven't been read have no ids.
    setChosen(
      new Set(keys.map(String).filter((key) => chosen.has(key) || rows.valueAt(rows.indexOf(key))?.id === key)),
    );
  });
  return (
    <Dialog title="Choose media" isOpen isWide onClose={onClose}>
      <SearchField aria-label="Search media" value={typed} onChange={setTyped} className="field" autoFocus>
        <Input placeholder="Search media" maxLength={250} />
      </SearchField>
      <div className="choose-media">
        {state === 'failed' && <p role="alert">{sentenceOf(error)}</p>}
        {state === 'loading' && <Skeleton />}
        {state === 'ready' && rows.size === 0 && <p>{search ? 'No media match.' : 'No media yet.'}</p>}
        {state === 'ready' && rows.size > 0 && (
          <ChoiceGrid
            key={search}
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
