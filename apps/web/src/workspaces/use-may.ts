import { useWorkspace } from './use-workspace.ts';

/** Whether the session has a scope in the shown workspace. Actions that the service would refuse aren't offered. */
export const useMay = (scope: 'media:write' | 'folders:write' | 'analytics:read' | 'analytics:write'): boolean =>
  useWorkspace().scopes.some((granted) => granted === scope);
