import { lazy, Suspense } from 'react';
import { useShortcuts } from './use-shortcuts.ts';

const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }));
const CommandsDialog = lazy(async () => ({ default: (await import('./commands-dialog.tsx')).CommandsDialog }));

/** Handles the keyboard shortcuts of all pages, and shows the dialogs that explain them. */
export function Help() {
  const { help, setHelp, search } = useShortcuts();
  const close = (): void => setHelp(null);
  return (
    <Suspense>
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
    </Suspense>
  );
}
