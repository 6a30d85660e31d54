import { readName } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from './documented.ts';

/** A name on one line, kept trimmed and in NFC. @param max code points */
export const nameOf = (max: number, about: { readonly description?: string; readonly examples: readonly string[] }) =>
  v.pipe(
    documented(v.string(), { ...about, minLength: 1, maxLength: max }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const read = readName(dataset.value, max);
      if ('name' in read) return read.name;
      addIssue({ message: read.problem });
      return NEVER;
    }),
  );
