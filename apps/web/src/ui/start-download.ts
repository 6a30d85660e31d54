/**
 * Has the browser download what a link leads to. A fetch would hold the file in memory.
 *
 * @param name of the file; default: as the answer says
 */
export function startDownload(link: string, name = ''): void {
  const anchor = document.createElement('a');
  anchor.href = link;
  anchor.download = name;
  anchor.rel = 'noreferrer';
  // Where a browser shows the file instead, as it does those of another origin, this page stays.
  if (name !== '') anchor.target = '_blank';
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
