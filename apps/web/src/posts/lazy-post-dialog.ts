import { lazyDialog } from '../ui/lazy-dialog.tsx';

export const LazyPostDialog = lazyDialog(async () => (await import('./post-dialog.tsx')).PostDialog);
