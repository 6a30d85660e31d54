import { lazyDialog } from '../ui/lazy-dialog.tsx';

export const LazyNewFolderDialog = lazyDialog(async () => (await import('./new-folder-dialog.tsx')).NewFolderDialog);
