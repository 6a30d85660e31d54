import { useWorkspace } from './use-workspace.ts';

/** Whether the session may do this in the shown workspace. What it may not isn't offered, as the service would refuse it. */
export const useMay = (scope: 'media:write' | 'folders:write' | 'analytics:read' | 'analytics:write'): boolean =>
  useWorkspace().scopes.some((granted) => granted === scope);
