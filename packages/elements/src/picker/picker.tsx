import { Skeleton } from '@postshelf/browser/media/skeleton.tsx';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { FileSource, Kind } from '@postshelf/browser/uploads/upload.ts';
import { useEffect, useState } from 'react';
import type { Selection } from 'react-stately';
import { DropArea } from './drop-area.tsx';
import { pick } from './pick.ts';
import type { PickedItem } from './picked-item.ts';
import { PickerGrid } from './picker-grid.tsx';
import { PickerHeader } from './picker-header.tsx';
import type { PickerSession } from './picker-session.ts';
import { sentenceOf } from './sentences.ts';
import { UploadList } from './upload-list.tsx';
import { usePickerList } from './use-picker-list.ts';

export interface PickerProps {
  readonly session: PickerSession;
  readonly workspace: string;
  /** The folder that is shown and uploaded to; null shows all media, and uploads to the library's root. */
  readonly folder: string | null;
  /** The only kind that can be chosen; null for both. */
  readonly kind: Kind | null;
  readonly isMultiple: boolean;
  readonly takesUploads: boolean;
  onPicked(items: readonly PickedItem[]): void;
}

/** A media library to choose from: search, grid, uploads and selection. */
export function Picker({ session, workspace, folder, kind, isMultiple, takesUploads, onPicked }: PickerProps) {
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<Kind | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const shown = kind ?? wanted;
  const { rows, state, isOld, error, retry, list, setVisible, selection } = usePickerList(session, {
    workspace,
    ...(folder !== null && { folder_id: folder }),
    ...(shown !== null && { type: shown }),
    ...(search !== '' && { search }),
  });

  useEffect(() => session.follow(workspace), [session, workspace]);
  const upload = (read: () => Promise<readonly FileSource[]>): void => {
    setProblem(null);
    read()
      // Dropped folders aren't recreated: all files are uploaded to the folder that the page has set.
      .then((sources) => sources.map(({ file }) => ({ file, path: [] })))
      .then((sources) => session.uploads.add(sources, { workspace, folder }, kind))
      .catch((failure: unknown) => setProblem(sentenceOf(failure)));
  };
  // Uploaded items are selected, as users mostly upload what they want to choose.
  const note = useStableCallback(selection.add);
  useEffect(() => session.onUploaded((item) => note(item, isMultiple)), [session, note, isMultiple]);

  const choose = useStableCallback((keys: Selection = selection.selected) => {
    setProblem(null);
    selection
      .read(keys)
      .then((items) => session.attempt(() => pick(session, items)))
      .then((items) => {
        if (items.length === 0) return;
        selection.clear();
        onPicked(items);
      })
      .catch((failure: unknown) => setProblem(sentenceOf(failure)));
  });
  const chooseOne = useStableCallback((id: string) => choose(new Set([id])));
  const isFiltered = search !== '' || wanted !== null;

  return (
    <DropArea onDropped={takesUploads ? upload : null}>
      <PickerHeader
        search={search}
        onSearch={setSearch}
        kind={shown}
        onKind={kind === null ? setWanted : null}
        onFiles={takesUploads ? (files) => upload(async () => files.map((file) => ({ file, path: [] }))) : null}
      />
      {state === 'loading' && <Skeleton />}
      {state === 'failed' && (
        <div className="picker-empty">
          <p role="alert">{sentenceOf(error)}</p>
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      {state === 'ready' && rows.size === 0 && (
        <div className="picker-empty" role="status">
          <h2>{isFiltered ? 'Nothing found' : 'Nothing here yet'}</h2>
          <p>
            {isFiltered && 'No media match what you look for.'}
            {!isFiltered && takesUploads && 'Drop files here, or upload them.'}
          </p>
        </div>
      )}
      {state === 'ready' && rows.size > 0 && (
        <div className="picker-media" aria-busy={isOld}>
          <PickerGrid
            // A new list, or a change of `multiple`, needs a new grid.
            key={`${list} ${isMultiple}`}
            rows={rows}
            isMultiple={isMultiple}
            selected={selection.selected}
            onSelect={selection.select}
            onChoose={chooseOne}
            onVisibleChange={setVisible}
          />
        </div>
      )}
      <UploadList uploads={session.uploads} />
      <footer className="picker-footer">
        {problem !== null && (
          <p className="picker-problem" role="alert">
            {problem}
          </p>
        )}
        <p className="picker-count" role="status">
          {selection.count > 0 && `${formatNumber(selection.count)} selected`}
        </p>
        {selection.count > 0 && (
          <button type="button" className="button button-quiet" onClick={selection.clear}>
            Clear
          </button>
        )}
        <button
          type="button"
          className="button button-primary"
          disabled={selection.count === 0}
          onClick={() => choose()}
        >
          Select
        </button>
      </footer>
    </DropArea>
  );
}
