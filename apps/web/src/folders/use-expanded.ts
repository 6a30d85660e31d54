import { useEffect, useSyncExternalStore } from 'react';
import { readStored, store } from '../ui/stored.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { useFolderPath } from './use-folders.ts';

/** Maximum number of stored expanded folders; each one costs a request at every change. */
const MAX_STORED = 100;

/** The expanded folders of each workspace that was shown, by storage key. */
const known = new Map<string, ReadonlySet<string>>();
const listeners = new Set<() => void>();

const keyOf = (workspace: string): string => `expanded:${workspace}`;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function expandedAt(key: string): ReadonlySet<string> {
  const expanded = known.get(key) ?? remembered(key);
  known.set(key, expanded);
  return expanded;
}

function setExpanded(key: string, expanded: ReadonlySet<string>): void {
  known.set(key, expanded);
  for (const listener of listeners) listener();
}

function remembered(key: string): ReadonlySet<string> {
  const stored = readStored(key);
  return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(-MAX_STORED) : []);
}

/** Expands or collapses a folder in the tree, and stores that in this browser. */
export function toggleFolder(workspace: string, folder: string, isExpanded: boolean): void {
  const key = keyOf(workspace);
  const expanded = new Set(expandedAt(key));
  if (isExpanded) expanded.add(folder);
  else expanded.delete(folder);
  store(key, [...expanded].slice(-MAX_STORED));
  setExpanded(key, expanded);
}

/** Returns the expanded folders, and a function that changes them. Opening a folder expands its ancestors. */
export function useExpanded(current: string | null) {
  const { id: workspace } = useWorkspace();
  const key = keyOf(workspace);
  const expanded = useSyncExternalStore(subscribe, () => expandedAt(key));
  const about = useFolderPath(current)
    ?.slice(0, -1)
    .map(({ id }) => id)
    .join(' ');
  useEffect(() => {
    if (about) setExpanded(key, new Set([...expandedAt(key), ...about.split(' ')]));
  }, [key, about]);
  return { expanded, toggle: (id: string, isExpanded: boolean) => toggleFolder(workspace, id, isExpanded) };
}
