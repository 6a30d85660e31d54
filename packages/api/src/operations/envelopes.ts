import * as v from 'valibot';
import { documented } from './fields/documented.ts';

/** An answer with one resource. @param title its name in the document */
export const dataOf = <T extends v.GenericSchema>(data: T, title: string) => documented(v.object({ data }), { title });

/** An answer with a resource and a sentence that says what was done. @param title its name in the document */
export const dataAndMessageOf = <T extends v.GenericSchema>(data: T, title: string) =>
  documented(v.object({ data, message: v.string() }), { title });
