import { useTypedSearch } from '@postshelf/browser/ui/use-typed-search.ts';
import { ACCEPTED, type Kind } from '@postshelf/browser/uploads/upload.ts';
import { useRef } from 'react';

export interface PickerHeaderProps {
  readonly search: string;
  onSearch(search: string): void;
  readonly kind: Kind | null;
  /** null if the page only allows one kind. */
  readonly onKind: ((kind: Kind | null) => void) | null;
  /** null if files can't be uploaded. */
  readonly onFiles: ((files: readonly File[]) => void) | null;
}

export const PickerHeader = ({ search, onSearch, kind, onKind, onFiles }: PickerHeaderProps) => (
  <header className="picker-header">
    <Search value={search} onSearch={onSearch} />
    {onKind && (
      <div className="field picker-kind">
        <select
          aria-label="Type"
          value={kind ?? ''}
          onChange={({ target }) => onKind(target.value === '' ? null : (target.value as Kind))}
        >
          <option value="">All types</option>
          <option value="image">Pictures</option>
          <option value="video">Films</option>
        </select>
      </div>
    )}
    {onFiles && <UploadButton kind={kind} onFiles={onFiles} />}
  </header>
);

function Search({ value, onSearch }: { readonly value: string; onSearch(search: string): void }) {
  const [typed, setTyped] = useTypedSearch(value, onSearch);
  return (
    <div className="field picker-search">
      <input
        type="search"
        aria-label="Search media"
        placeholder="Search media"
        maxLength={250}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
}

function UploadButton({ kind, onFiles }: { readonly kind: Kind | null; onFiles(files: readonly File[]): void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="button picker-upload" onClick={() => chooser.current?.click()}>
        Upload
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={(kind === null ? Object.values(ACCEPTED).flat() : ACCEPTED[kind]).join()}
        onChange={({ target }) => {
          onFiles(Array.from(target.files ?? []));
          // Without this, choosing the same file again wouldn't fire an event.
          target.value = '';
        }}
      />
    </>
  );
}
