import type { MediaItem } from '@postshelf/client';
import { client, sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { useNotify } from '../../ui/notices.tsx';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { SIGNED_DAYS } from '../selection/use-copy-links.ts';

/**
 * Copies the file's link, which needs no token; in workspaces with signed links, a signed one that is valid for a week.
 */
export function CopyLink({ item: { id, link } }: { readonly item: MediaItem }) {
  const notify = useNotify();
  const isSigned = useWorkspace().links === 'signed';
  const copy = async (): Promise<void> => {
    const copied = isSigned ? await signedLink(id) : link;
    const text = isSigned ? `Link copied. It works for ${SIGNED_DAYS} days.` : 'Link copied.';
    notify((await copyText(copied)) ? { text } : { text: `Copy it from here: ${copied}` });
  };
  return (
    <Button onPress={() => void copy().catch((error: unknown) => notify({ text: sentenceOf(error) }))}>
      Copy link
    </Button>
  );
}

async function signedLink(id: string): Promise<string> {
  const expires_in = SIGNED_DAYS * 24 * 60 * 60;
  return (await client.trpc.links.create.mutate({ id, expires_in }, { idempotencyKey: null })).data.link;
}
