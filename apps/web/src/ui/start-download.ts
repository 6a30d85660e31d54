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
  // This page stays open if the browser shows the file instead of downloading it, as it does for other origins.
  if (name !== '') anchor.target = '_blank';
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
