import type { MediaItem } from '@postshelf/client';
import { client, sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** A week, the longest that the service allows. */
const DAYS = 7;

/** Copies the file's link, which needs no token; a signed one, good for a week, where the workspace asks for that. */
export function CopyLink({ item: { id, link } }: { readonly item: MediaItem }) {
  const notify = useNotify();
  const isSigned = useWorkspace().links === 'signed';
  const copy = async (): Promise<void> => {
    const copied = isSigned ? await signedLink(id) : link;
    const text = isSigned ? `The link was copied. It is good for ${DAYS} days.` : 'The link was copied.';
    notify((await copyText(copied)) ? { text } : { text: `Copy it from here: ${copied}` });
  };
  return (
    <Button onPress={() => void copy().catch((error: unknown) => notify({ text: sentenceOf(error) }))}>
      Copy link
    </Button>
  );
}

async function signedLink(id: string): Promise<string> {
  const expires_in = DAYS * 24 * 60 * 60;
  return (await client.trpc.links.create.mutate({ id, expires_in }, { idempotencyKey: null })).data.link;
}

/** @returns false if the browser doesn't allow copying */
async function copyText(text: string): Promise<boolean> {
  // `clipboard` is missing in pages served over plain HTTP from another machine; writing fails if the user denied it.
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return isCopied || copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  const before = document.activeElement;
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
