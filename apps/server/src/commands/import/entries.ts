import { reasonToLeaveOut, type Source, type SourceEntry } from '@postshelf/domain';

/**
 * Lists the files and folders of a source.
 *
 * @param globs patterns of entries to leave out: a pattern without a slash matches names, any other pattern matches
 * paths
 */
export function entriesOf(source: Source, globs: readonly string[]): AsyncIterable<SourceEntry> {
  const patterns = globs.map((glob) => ({ glob: new Bun.Glob(glob), isOfPath: glob.includes('/') }));
  return source.entries((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isExcluded = patterns.some(({ glob, isOfPath }) => glob.match(isOfPath ? path : name));
    return isExcluded ? 'It is excluded.' : reasonToLeaveOut(name);
  });
}
