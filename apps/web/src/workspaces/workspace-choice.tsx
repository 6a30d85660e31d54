import { useNavigate } from '@tanstack/react-router';
import { useMe } from '../sessions/session-gate.tsx';
import { Select } from '../ui/select.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Shown where the token enters several workspaces. A change begins at the library's top: folders are each one's own. */
export function WorkspaceChoice() {
  const { workspaces } = useMe();
  const shown = useWorkspace();
  const navigate = useNavigate();
  if (workspaces.length < 2) return null;
  return (
    <Select
      label="Workspace"
      isLabelHidden
      value={shown.id}
      options={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(workspace) => void navigate({ to: '/', search: { workspace } })}
    />
  );
}
