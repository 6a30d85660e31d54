import * as v from 'valibot';
import { documented } from './fields/documented.ts';

/** Returns the schema of an answer with one resource. @param title the answer's name in the document */
export const dataOf = <T extends v.GenericSchema>(data: T, title: string) => documented(v.object({ data }), { title });

/**
 * Returns the schema of an answer with a resource and a sentence about what was done.
 *
 * @param title the answer's name in the document
 */
export const dataAndMessageOf = <T extends v.GenericSchema>(data: T, title: string) =>
  documented(v.object({ data, message: v.string() }), { title });
