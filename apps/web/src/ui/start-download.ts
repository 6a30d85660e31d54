/**
 * Makes the browser download a link's file. A fetch would hold the file in memory.
 *
 * @param name the file's name; default: the one in the response
 */
export function startDownload(link: string, name = ''): void {
  const anchor = document.createElement('a');
  anchor.href = link;
  anchor.download = name;
  anchor.rel = 'noreferrer';
  // Browsers may show a file from another origin instead of downloading it. In a new tab, the file doesn't replace this
  // page.
  if (name !== '') anchor.target = '_blank';
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
