import { reasonToLeaveOut, type Source, type SourceEntry } from '@postshelf/domain';

/**
 * What there is in a source.
 *
 * @param globs of what is left out: by its path, or by its name if the pattern has no slash
 */
export function entriesOf(source: Source, globs: readonly string[]): AsyncIterable<SourceEntry> {
  const patterns = globs.map((glob) => ({ glob: new Bun.Glob(glob), isOfPath: glob.includes('/') }));
  return source.entries((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isExcluded = patterns.some(({ glob, isOfPath }) => glob.match(isOfPath ? path : name));
    return isExcluded ? 'It is excluded.' : reasonToLeaveOut(name);
  });
}
