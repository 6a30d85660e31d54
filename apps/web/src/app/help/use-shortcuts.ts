import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isAsked, isTypedIn } from '../../shortcuts/is-typed-in.ts';
import { focusSearch } from '../../shortcuts/media-search.ts';
import { useUndo } from '../../ui/notices.tsx';

export type Help = 'shortcuts' | 'commands';

/**
 * Handles the keyboard shortcuts of all pages.
 *
 * @returns the open help dialog
 */
export function useShortcuts() {
  const [help, setHelp] = useState<Help | null>(null);
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
  /** Returns a key's action; null if it does nothing here. */
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
    // Captured before the grid, which stops keys in its checkboxes.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [onKeyDown]);
  return { help, setHelp, search };
}
