import type { MediaItem } from '@postshelf/client';
import { refresh } from '../service/live.ts';
import { client, sentenceOf } from '../service/service.ts';
import { NameDialog } from '../ui/name-dialog.tsx';
import { useNotify } from '../ui/notices.tsx';

/** Renames a media item. The service adds the extension if it is left out. */
export function RenameDialog({ item, onClose }: { readonly item: MediaItem; onClose(): void }) {
  const notify = useNotify();
  const rename = async (name: string): Promise<string> => {
    const { data } = await client.trpc.media.update.mutate({ id: item.id, name });
    void refresh('media');
    return data.name;
  };
  const undo = async (): Promise<void> => {
    await rename(item.name);
    notify({ text: `${item.name} has its name back.` });
  };
  return (
    <NameDialog
      title={`Rename ${item.name}`}
      action="Rename"
      name={item.name}
      onClose={onClose}
      onSubmit={async (typed) => {
        const name = await rename(typed);
        notify({
          text: `${item.name} was renamed ${name}.`,
          undo: () => void undo().catch((error: unknown) => notify({ text: sentenceOf(error), tone: 'bad' })),
        });
      }}
    />
  );
}
