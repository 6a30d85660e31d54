import type { FileSource } from '@postshelf/browser/uploads/upload.ts';
import { useCallback } from 'react';
import { sentenceOf } from '../service/service.ts';
import { useNotify } from '../ui/notices.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { addUploads } from './uploads.ts';

/** Uploads files to a folder, by default to the one passed to {@link useUploading}. */
type Upload = (read: () => Promise<readonly FileSource[]>, to?: string | null) => void;

/** Returns a function that uploads files to a folder of the workspace, and shows a notice if the upload can't start. */
export function useUploading(folder: string | null): Upload {
  const { id: workspace } = useWorkspace();
  const notify = useNotify();
  return useCallback(
    (read, to = folder) => {
      read()
        .then((sources) => addUploads(sources, { workspace, folder: to }))
        .catch((error: unknown) => notify({ tone: 'bad', text: sentenceOf(error) }));
    },
    [workspace, folder, notify],
  );
}
