import { type FormEvent, useState } from 'react';
import type { PickerSession } from './picker-session.ts';
import { useWords } from './words.ts';

export interface ImportFormProps {
  readonly session: PickerSession;
  readonly workspace: string;
  readonly folder: string | null;
  onFailed(failure: unknown): void;
}

/** A form for a URL from which the service downloads a file. Imported items are selected, as uploads are. */
export function ImportForm({ session, workspace, folder, onFailed }: ImportFormProps) {
  const words = useWords();
  const [url, setUrl] = useState('');
  const [isRunning, setIsRunning] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRunning) return;
    setIsRunning(true);
    session
      .importUrl(workspace, folder, url)
      // The next URL may have been typed in the meantime.
      .then(() => setUrl((typed) => (typed === url ? '' : typed)), onFailed)
      .finally(() => setIsRunning(false));
  };
  return (
    <form className="picker-header" onSubmit={submit} aria-busy={isRunning}>
      <div className="field picker-search">
        <input
          // biome-ignore lint/a11y/noAutofocus: the form is opened with a button
          autoFocus
          type="url"
          required
          aria-label={words.url}
          placeholder="https://"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      </div>
      <button type="submit" className="button" disabled={isRunning}>
        {isRunning ? words.importing : words.import}
      </button>
    </form>
  );
}
