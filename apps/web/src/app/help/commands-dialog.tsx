import './commands.css';
import { type KeyboardEvent, useId, useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { type Command, useCommands } from './use-commands.ts';

interface CommandsDialogProps {
  /** Commands in addition to pages, folders and the page's own actions. */
  readonly more: readonly Command[];
  onClose(): void;
}

/** Finds a page, a folder or an action by its name. */
export function CommandsDialog({ more, onClose }: CommandsDialogProps) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useCommands(typed, more);
  const current = Math.max(0, Math.min(at, found.length - 1));
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    // The command runs after the dialog has restored the focus.
    setTimeout(command.run);
  };
  const move = (to: number): void => {
    setAt(to);
    document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Until a word is chosen in an input method, as for Japanese, these keys belong to the input method.
    if (event.nativeEvent.isComposing) return;
    const last = found.length - 1;
    if (event.key === 'ArrowDown') move(current === last ? 0 : current + 1);
    else if (event.key === 'ArrowUp') move(current === 0 ? last : current - 1);
    else if (event.key === 'Enter') run(found[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Commands" isOpen onClose={onClose}>
      <input
        className="commands-field"
        role="combobox"
        aria-label="Command"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
        placeholder="Page, folder or action"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Commands" className="commands">
        {found.map((command, nth) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and handles keys
          // biome-ignore lint/a11y/useFocusableInteractive: the combobox has the focus
          <div
            key={command.key}
            id={`${id}-${nth}`}
            role="option"
            aria-selected={nth === current}
            onPointerMove={() => setAt(nth)}
            onClick={() => run(command)}
          >
            {command.name}
            <small>{command.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className="commands-none" role="status">
          Nothing found.
        </p>
      )}
    </Dialog>
  );
}
