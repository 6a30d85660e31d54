import { useNotify } from './notices.tsx';

/** Returns a function that copies a text and then shows the given notice, or says that the browser doesn't allow it. */
export function useCopyText(): (text: string, notice: string) => Promise<void> {
  const notify = useNotify();
  return async (text, notice) => {
    if (await copyText(text)) notify({ text: notice });
    else if (text.includes('\n')) notify({ text: 'The browser doesn’t allow this page to copy.', tone: 'bad' });
    else notify({ text: `Copy it from here: ${text}` });
  };
}

/** Copies a text to the clipboard. @returns false if the browser doesn't allow it */
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
