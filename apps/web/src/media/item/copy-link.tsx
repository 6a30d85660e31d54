import { Button } from '../../ui/button.tsx';
import { useNotify } from '../../ui/notices.tsx';

/** Copies the file's link, which needs no token. */
export function CopyLink({ link }: { readonly link: string }) {
  const notify = useNotify();
  return (
    <Button
      onPress={() =>
        void copyText(link).then((isCopied) =>
          notify(isCopied ? { text: 'The link was copied.' } : { text: `Copy it from here: ${link}` }),
        )
      }
    >
      Copy link
    </Button>
  );
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
