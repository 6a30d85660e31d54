import { readName } from '@postshelf/domain';
import * as v from 'valibot';

/** A name on one line, kept trimmed and in NFC. @param max code points */
export const nameOf = (max: number) =>
  v.pipe(
    v.string(),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const read = readName(dataset.value, max);
      if ('name' in read) return read.name;
      addIssue({ message: read.problem });
      return NEVER;
    }),
  );
