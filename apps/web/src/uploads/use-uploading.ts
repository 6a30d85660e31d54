import type { FileSource } from '@postshelf/browser/uploads/upload.ts';
import { useCallback } from 'react';
import { sentenceOf } from '../service/service.ts';
import { useNotify } from '../ui/notices.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { addUploads } from './uploads.ts';

/** Uploads files to a folder of the workspace, and shows a notice if that can't begin. */
export function useUploading(folder: string | null): (read: () => Promise<readonly FileSource[]>) => void {
  const { id: workspace } = useWorkspace();
  const notify = useNotify();
  return useCallback(
    (read) => {
      read()
        .then((sources) => addUploads(sources, { workspace, folder }))
        .catch((error: unknown) => notify({ tone: 'bad', text: sentenceOf(error) }));
    },
    [workspace, folder, notify],
  );
}
