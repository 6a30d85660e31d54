/** Copies a text to the clipboard. @returns false if the browser doesn't allow it */
export async function copyText(text: string): Promise<boolean> {
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
