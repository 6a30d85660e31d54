import { Skeleton } from '@postshelf/browser/media/skeleton.tsx';
import { ChangingText } from '@postshelf/browser/ui/changing-text.tsx';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { type FileSource, type Kind, mayBecome } from '@postshelf/browser/uploads/upload.ts';
import type { MediaItem } from '@postshelf/client';
import { useEffect, useState } from 'react';
import type { Selection } from 'react-stately';
import { DropArea } from './drop-area.tsx';
import { FolderSelect } from './folder-select.tsx';
import { ImportForm } from './import-form.tsx';
import { pick } from './pick.ts';
import type { ErrorDetail, PickedItem } from './picked-item.ts';
import { PickerGrid } from './picker-grid.tsx';
import { PickerHeader } from './picker-header.tsx';
import type { PickerSession } from './picker-session.ts';
import { nameOfType, sentenceOf, statusOf } from './sentences.ts';
import { UploadList } from './upload-list.tsx';
import { usePickerList } from './use-picker-list.ts';
import { fill, useWords } from './words.ts';

/** Maximum number of preselected items; each costs a request. */
const MAX_PRESELECTED = 100;

export interface PickerProps {
  readonly session: PickerSession;
  readonly workspace: string;
  /** The only folder that is shown and uploaded to; null lets the user choose, starting with all media. */
  readonly folder: string | null;
  /** The only kind that can be chosen; null for both. */
  readonly kind: Kind | null;
  readonly isMultiple: boolean;
  readonly takesUploads: boolean;
  /** Maximum number of items that can be chosen. */
  readonly max: number;
  /** The only media types that can be chosen; null for all. */
  readonly accepted: readonly string[] | null;
  /** Ids of items that are selected initially. */
  readonly preselected: readonly string[];
  onPicked(items: readonly PickedItem[]): void;
  onCancelled(): void;
  onFailed(detail: ErrorDetail): void;
}

/** A media library to choose from: search, folders, grid, uploads and selection. */
export function Picker({ session, workspace, kind, isMultiple, takesUploads, max, accepted, ...props }: PickerProps) {
  const words = useWords();
  const [search, setSearch] = useState('');
  const [chosenKind, setChosenKind] = useState<Kind | null>(null);
  const [chosenFolder, setChosenFolder] = useState<string | null>(null);
  const [isImporting, setIsImporting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const folder = props.folder ?? chosenFolder;
  const shownKind = kind ?? chosenKind;
  const { rows, state, isOld, error, retry, list, setVisible, selection } = usePickerList(session, {
    workspace,
    ...(folder !== null && { folder_id: folder }),
    ...(shownKind !== null && { type: shownKind }),
    ...(search !== '' && { search }),
  });
  const tooMany = fill(words.tooMany, { max });
  const wrongType = fill(words.wrongType, { types: accepted?.map(nameOfType).join(', ') ?? '' });
  const isAccepted = (type: string | null | undefined): boolean =>
    accepted === null || type == null || accepted.includes(type);

  useEffect(() => session.follow(workspace), [session, workspace]);
  const reportFailure = useStableCallback((message: string) => props.onFailed({ message, status: null }));
  const fail = useStableCallback((failure: unknown) => {
    if (session.isOver) return;
    const message = sentenceOf(failure);
    setProblem(message);
    props.onFailed({ message, status: statusOf(failure) });
  });
  useEffect(() => {
    if (error) props.onFailed({ message: sentenceOf(error), status: statusOf(error) });
  }, [error]);
  // Joined to a string, because the array is a new one in every render.
  const preselected = props.preselected.slice(0, isMultiple ? Math.min(max, MAX_PRESELECTED) : 1).join();
  const preselect = useStableCallback((items: readonly MediaItem[]) => selection.set(items));
  useEffect(() => {
    if (preselected === '') return;
    let isWanted = true;
    session.readItems(workspace, preselected.split(',')).then((items) => isWanted && preselect(items), fail);
    return () => {
      isWanted = false;
    };
  }, [session, workspace, preselected, preselect, fail]);
  const upload = (read: () => Promise<readonly FileSource[]>): void => {
    setProblem(null);
    addUploads(read).catch(fail);
  };
  const addUploads = async (read: () => Promise<readonly FileSource[]>): Promise<void> => {
    const sources = await read();
    const fitting = sources.filter(({ file }) => accepted === null || mayBecome(file, accepted));
    if (fitting.length < sources.length) setProblem(wrongType);
    // Dropped folders aren't recreated: all files are uploaded to the folder that is shown.
    const files = fitting.map(({ file }) => ({ file, path: [] }));
    await session.uploads.add(files, { workspace, folder }, kind);
  };
  // Uploaded items are selected, as users mostly upload what they want to choose.
  const selectUploaded = useStableCallback((item: MediaItem) => {
    if (!isMultiple || selection.count < max) selection.add(item, isMultiple);
  });
  useEffect(() => session.onUploaded(selectUploaded), [session, selectUploaded]);
  const select = useStableCallback((keys: Selection) => {
    const count = keys === 'all' ? rows.size : keys.size;
    if (isMultiple && count > max) return setProblem(tooMany);
    if (keys === 'all') {
      setProblem(null);
      selection.selectAll().catch(fail);
      return;
    }
    const types = [...keys].map((key) => rows.valueAt(rows.indexOf(key))?.details?.mime);
    if (!types.every(isAccepted)) return setProblem(wrongType);
    setProblem(null);
    selection.select(keys);
  });

  const choose = useStableCallback((keys: Selection = selection.selected) => {
    setProblem(null);
    pickFrom(keys).catch(fail);
  });
  const pickFrom = async (keys: Selection): Promise<void> => {
    const items = await selection.read(keys);
    // The page may have lowered `max` in the meantime.
    if (isMultiple && items.length > max) return setProblem(tooMany);
    const picked = await session.attempt(() => pick(session, items));
    const fitting = picked.filter(({ type }) => isAccepted(type));
    if (fitting.length < picked.length) setProblem(wrongType);
    if (fitting.length === 0) return;
    selection.clear();
    props.onPicked(fitting);
  };
  const chooseOne = useStableCallback((id: string) => choose(new Set([id])));
  const cancel = (): void => {
    selection.clear();
    setProblem(null);
    props.onCancelled();
  };

  return (
    <DropArea onDropped={takesUploads ? upload : null} onUnreadable={setProblem} onEscape={cancel}>
      <PickerHeader
        search={search}
        onSearch={setSearch}
        kind={shownKind}
        onKind={kind === null ? setChosenKind : null}
        accepted={accepted}
        onFiles={takesUploads ? (files) => upload(async () => files.map((file) => ({ file, path: [] }))) : null}
        isImporting={isImporting}
        onImporting={setIsImporting}
      >
        {props.folder === null && (
          <FolderSelect session={session} workspace={workspace} folder={folder} onFolder={setChosenFolder} />
        )}
      </PickerHeader>
      {takesUploads && isImporting && (
        <ImportForm session={session} workspace={workspace} folder={folder} onFailed={fail} />
      )}
      {state === 'loading' && <Skeleton />}
      {state === 'failed' && (
        <div className="picker-empty">
          <p role="alert">{sentenceOf(error)}</p>
          <button type="button" className="button" onClick={retry}>
            {words.tryAgain}
          </button>
        </div>
      )}
      {state === 'ready' && rows.size === 0 && (
        <Nothing isFiltered={search !== '' || chosenKind !== null} takesUploads={takesUploads} />
      )}
      {state === 'ready' && rows.size > 0 && (
        <div className="picker-media" aria-busy={isOld}>
          <PickerGrid
            // A new list, or a change of `multiple`, needs a new grid.
            key={`${list} ${isMultiple}`}
            rows={rows}
            isMultiple={isMultiple}
            selected={selection.selected}
            onSelect={select}
            onChoose={chooseOne}
            onVisibleChange={setVisible}
          />
        </div>
      )}
      <UploadList uploads={session.uploads} onFailed={reportFailure} />
      <PickerFooter
        problem={problem}
        count={selection.count}
        onClear={selection.clear}
        onCancel={cancel}
        onSelect={() => choose()}
      />
    </DropArea>
  );
}

interface NothingProps {
  readonly isFiltered: boolean;
  readonly takesUploads: boolean;
}

function Nothing({ isFiltered, takesUploads }: NothingProps) {
  const words = useWords();
  return (
    <div className="picker-empty" role="status">
      <h2>{isFiltered ? words.nothingFound : words.nothingHere}</h2>
      <p>
        {isFiltered && words.noMatch}
        {!isFiltered && takesUploads && words.dropOrUpload}
      </p>
    </div>
  );
}

interface PickerFooterProps {
  readonly problem: string | null;
  /** Number of selected items. */
  readonly count: number;
  onClear(): void;
  onCancel(): void;
  onSelect(): void;
}

function PickerFooter({ problem, count, onClear, onCancel, onSelect }: PickerFooterProps) {
  const words = useWords();
  return (
    <footer className="picker-footer">
      {problem !== null && (
        <p className="picker-problem" role="alert">
          {problem}
        </p>
      )}
      <p className="picker-count" role="status">
        {count > 0 && <ChangingText>{fill(words.selected, { count })}</ChangingText>}
      </p>
      {count > 0 && (
        <button type="button" className="button button-quiet" onClick={onClear}>
          {words.clear}
        </button>
      )}
      <button type="button" className="button button-quiet" onClick={onCancel}>
        {words.cancel}
      </button>
      <button type="button" className="button button-primary" disabled={count === 0} onClick={onSelect}>
        {words.select}
      </button>
    </footer>
  );
}
