/**
 * Makes the browser download a link's file, which the response has to name. A fetch would hold the file in memory.
 *
 * @param link a link of the service that served this page, because browsers may show a file of another origin instead
 */
export function startDownload(link: string): void {
  const anchor = document.createElement('a');
  anchor.href = link;
  anchor.download = '';
  anchor.rel = 'noreferrer';
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
