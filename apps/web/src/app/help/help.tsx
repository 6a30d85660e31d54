import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { focusSearch } from '../../shortcuts/media-search.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { useUndo } from '../../ui/notices.tsx';

const ShortcutsDialog = lazyDialog(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog);
const CommandsDialog = lazyDialog(async () => (await import('./commands-dialog.tsx')).CommandsDialog);

/** Handles the keyboard shortcuts of all pages, and shows the dialogs that explain them. */
export function Help() {
  const { help, setHelp, search } = useShortcuts();
  const close = (): void => setHelp(null);
  return (
    <>
      {help === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {help === 'commands' && (
        <CommandsDialog
          more={[
            { key: 'shortcuts', name: 'Keyboard shortcuts', kind: 'Help', run: () => setHelp('shortcuts') },
            { key: 'media-search', name: 'Search media', kind: 'Action', run: search },
          ]}
          onClose={close}
        />
      )}
    </>
  );
}

type HelpDialog = 'shortcuts' | 'commands';

/**
 * Handles the keyboard shortcuts of all pages.
 *
 * @returns the open help dialog, a function that opens or closes one, and a function that starts a search for media
 */
function useShortcuts() {
  const [help, setHelp] = useState<HelpDialog | null>(null);
  const navigate = useNavigate();
  const { workspace } = useSearch({ strict: false });
  const undo = useUndo();
  const search = useStableCallback((): void => {
    if (!focusSearch()) void navigate({ to: '/', search: workspace === undefined ? {} : { workspace } });
  });
  const onKeyDown = useStableCallback((event: KeyboardEvent): void => {
    const act = actionOf(event);
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  /** Returns the action of a key; null if the key does nothing here. */
  const actionOf = ({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): (() => void) | null => {
    if (altKey || isAsked()) return null;
    const isControl = ctrlKey || metaKey;
    if (isControl && key.toLowerCase() === 'k') return () => setHelp('commands');
    if (isTypedIn(target)) return null;
    if (isControl) return key.toLowerCase() === 'z' && !shiftKey ? undo : null;
    if (key === '?') return () => setHelp('shortcuts');
    return key === '/' && !document.querySelector('.viewer') ? search : null;
  };
  useEffect(() => {
    // The listener runs in the capture phase, because the grid stops key events from its checkboxes.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [onKeyDown]);
  return { help, setHelp, search };
}

/** Whether key presses on an element enter text. */
const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('textarea, select, input:not([type="checkbox"], [type="radio"])') !== null);

/** Whether a dialog or a menu is open; shortcuts don't work then. The viewer of an open item doesn't count. */
const isAsked = (): boolean => document.querySelector('[role$="dialog"]:not(.viewer), [role="menu"]') !== null;
