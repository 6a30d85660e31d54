import type { ReactNode } from 'react';
import { useMe } from '../sessions/session-gate.tsx';
import { SignOut } from '../sessions/sign-out.tsx';

/** Shows its children if the session has a workspace. People who were removed from their last one may sign out. */
export function WorkspaceGate({ children }: { readonly children: ReactNode }) {
  if (useMe().workspaces.length > 0) return children;
  return (
    <main className="frame-page">
      <p role="alert">You no longer have access to any workspace. Ask a manager for a new invitation.</p>
      <SignOut />
    </main>
  );
}
