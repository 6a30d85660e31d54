import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';

const SessionsDialog = lazy(async () => ({ default: (await import('./sessions-dialog.tsx')).SessionsDialog }));

/** Shows where else somebody is signed in by the same token. */
export function SessionsButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" onPress={() => setIsOpen(true)}>
        Sessions
      </Button>
      {isOpen && (
        <Suspense>
          <SessionsDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
