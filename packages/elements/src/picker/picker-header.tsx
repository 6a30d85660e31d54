import { useTypedSearch } from '@postshelf/browser/ui/use-typed-search.ts';
import { ACCEPTED, choosableFor, type Kind } from '@postshelf/browser/uploads/upload.ts';
import { type ReactNode, useRef } from 'react';
import { useWords } from './words.ts';

export interface PickerHeaderProps {
  readonly search: string;
  onSearch(search: string): void;
  readonly kind: Kind | null;
  /** null if the page only allows one kind. */
  readonly onKind: ((kind: Kind | null) => void) | null;
  /** null if files can't be uploaded. */
  readonly onFiles: ((files: readonly File[]) => void) | null;
  /** The media types that can be chosen; null for all types of the kind. */
  readonly accepted: readonly string[] | null;
  readonly isImporting: boolean;
  onImporting(isImporting: boolean): void;
  /** Shown after the search field. */
  readonly children: ReactNode;
}

export function PickerHeader({ search, onSearch, kind, onKind, onFiles, ...props }: PickerHeaderProps) {
  const words = useWords();
  const accepted = props.accepted ?? (kind === null ? Object.values(ACCEPTED).flat() : ACCEPTED[kind]);
  return (
    <header className="picker-header">
      <Search value={search} onSearch={onSearch} />
      {props.children}
      {onKind && (
        <div className="field picker-kind">
          <select
            aria-label={words.type}
            value={kind ?? ''}
            onChange={({ target }) => onKind(target.value === '' ? null : (target.value as Kind))}
          >
            <option value="">{words.allTypes}</option>
            <option value="image">{words.pictures}</option>
            <option value="video">{words.films}</option>
          </select>
        </div>
      )}
      {onFiles && <UploadButton choosable={choosableFor(accepted)} onFiles={onFiles} />}
      {onFiles && (
        <button
          type="button"
          className="button picker-upload"
          aria-expanded={props.isImporting}
          onClick={() => props.onImporting(!props.isImporting)}
        >
          {words.importFromUrl}
        </button>
      )}
    </header>
  );
}

function Search({ value, onSearch }: { readonly value: string; onSearch(search: string): void }) {
  const [typed, setTyped] = useTypedSearch(value, onSearch);
  const words = useWords();
  return (
    <div className="field picker-search">
      <input
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        maxLength={250}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
}

interface UploadButtonProps {
  readonly choosable: readonly string[];
  onFiles(files: readonly File[]): void;
}

function UploadButton({ choosable, onFiles }: UploadButtonProps) {
  const words = useWords();
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="button picker-upload" onClick={() => chooser.current?.click()}>
        {words.upload}
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={choosable.join()}
        onChange={({ target }) => {
          onFiles(Array.from(target.files ?? []));
          // Without this, choosing the same file again wouldn't fire an event.
          target.value = '';
        }}
      />
    </>
  );
}
