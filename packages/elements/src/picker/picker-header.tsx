import { useEffect, useRef, useState } from 'react';
import { useStable } from '../ui/use-stable.ts';
import type { Kind } from '../uploads/upload.ts';

/** Milliseconds without another letter, after which what was typed is looked for. */
const TYPING = 250;

export interface PickerHeaderProps {
  readonly search: string;
  onSearch(search: string): void;
  readonly kind: Kind | null;
  /** Where the page leaves it open what is chosen. */
  readonly onKind: ((kind: Kind | null) => void) | null;
  /** Where files may be uploaded. */
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

/** What is typed is looked for after a rest. */
function Search({ value, onSearch }: { readonly value: string; onSearch(search: string): void }) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const search = useStable(onSearch);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => search(typed.trim()), TYPING);
    return () => clearTimeout(timer);
  }, [typed, value, search]);
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

const ACCEPTED = {
  image: 'image/jpeg,image/png,image/gif,image/webp',
  video: 'video/mp4,video/quicktime',
};

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
        accept={kind === null ? `${ACCEPTED.image},${ACCEPTED.video}` : ACCEPTED[kind]}
        onChange={({ target }) => {
          onFiles(Array.from(target.files ?? []));
          // The same file may be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}
