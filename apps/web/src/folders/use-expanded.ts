import { useEffect, useState } from 'react';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { useFolderPath } from './use-folders.ts';

/** Most expanded folders that are stored: each one costs a request at every change. */
const MOST = 100;

function remembered(key: string): ReadonlySet<string> {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(known) ? known.filter((id) => typeof id === 'string').slice(-MOST) : []);
  } catch {
    // Stored by another version, or not readable in this browser: all folders are collapsed at first.
    return new Set();
  }
}

function remember(key: string, expanded: ReadonlySet<string>): void {
  try {
    localStorage.setItem(key, JSON.stringify([...expanded].slice(-MOST)));
  } catch {
    // The browser stores nothing: folders stay expanded until the page is left.
  }
}

/** Which folders are expanded, as stored in this browser. Opening a folder expands its ancestors. */
export function useExpanded(current: string | null) {
  const key = `expanded:${useWorkspace().id}`;
  const [state, setState] = useState(() => ({ key, expanded: remembered(key) }));
  if (state.key !== key) setState({ key, expanded: remembered(key) });
  const set = (change: (expanded: Set<string>) => void): void =>
    setState((was) => {
      const expanded = new Set(was.expanded);
      change(expanded);
      remember(was.key, expanded);
      return { ...was, expanded };
    });
  const about = useFolderPath(current)
    ?.slice(0, -1)
    .map(({ id }) => id)
    .join(' ');
  useEffect(() => {
    if (!about) return;
    setState((was) => ({ ...was, expanded: new Set([...was.expanded, ...about.split(' ')]) }));
  }, [about]);
  return {
    expanded: state.expanded,
    toggle: (id: string, isExpanded: boolean) => set((now) => (isExpanded ? now.add(id) : now.delete(id))),
  };
}
