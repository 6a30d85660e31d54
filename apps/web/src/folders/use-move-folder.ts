import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { refresh } from '../service/live.ts';
import { client, sentenceOf } from '../service/service.ts';
import { useNotify } from '../ui/notices.tsx';
import type { Folder } from './folder-rows.ts';

/** Moves a folder. Resolves once the tree shows the folder's new position, from which the next move starts. */
async function put(folder: string, parent: string | null): Promise<void> {
  await client.trpc.folders.update.mutate({ folder, parent_id: parent }).finally(() => refresh('folders'));
}

/** Returns a function that moves a folder into another one (null: the root), and shows a notice with undo. */
export function useMoveFolder() {
  const notify = useNotify();
  const move = async ({ id, name, parent_id: before }: Folder, parent: string | null): Promise<void> => {
    try {
      await put(id, parent);
      notify({ text: `${name} was moved.`, undo: () => void back(id, name, before) });
    } catch (error) {
      notify({ text: `${name} wasn’t moved. ${sentenceOf(error)}`, tone: 'bad' });
    }
  };
  const back = async (id: string, name: string, before: string | null): Promise<void> => {
    try {
      await put(id, before);
      notify({ text: `${name} is back where it was.` });
    } catch (error) {
      notify({ text: `${name} couldn’t be moved back. ${sentenceOf(error)}`, tone: 'bad' });
    }
  };
  return useStableCallback((folder: Folder, parent: string | null) => void move(folder, parent));
}
