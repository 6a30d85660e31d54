import { useSearch } from '@tanstack/react-router';
import type { Me } from '../service/service.ts';
import { useMe } from '../sessions/session-gate.tsx';

export type Workspace = Me['workspaces'][number];

/** Returns the workspace that the page shows: the one in the URL, or the session's first. */
export function useWorkspace(): Workspace {
  const { workspaces } = useMe();
  const { workspace } = useSearch({ strict: false });
  const shown = workspaces.find(({ id }) => id === workspace) ?? workspaces[0];
  if (!shown) throw new Error('You don’t have access to any workspace.');
  return shown;
}
