import * as v from 'valibot';

/**
 * An array whose items aren't looked at when there are too many of them: else each of a million wrong ones would have
 * its sentence in the answer.
 *
 * @param max items
 */
export function listOf<const TItem extends v.GenericSchema>(item: TItem, max: number) {
  const schema = v.array(item);
  const limit = v.maxLength<unknown[], number, string>(max, `must not have more than ${max} items.`);
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const { value } = dataset;
    if (!Array.isArray(value) || value.length <= max) return schema['~run'](dataset, config);
    const { issues } = limit['~run']({ typed: true, value }, config);
    return { typed: false, value, issues } as ReturnType<(typeof schema)['~run']>;
  };
  // The limit once more, for the document.
  return v.pipe({ ...schema, '~run': run }, v.maxLength(max));
}

/** An object that is no array: valibot takes one for the other. */
export function objectOf<const TEntries extends v.ObjectEntries>(entries: TEntries) {
  const schema = v.object(entries);
  const run: (typeof schema)['~run'] = (dataset, config) =>
    schema['~run'](Array.isArray(dataset.value) ? { ...dataset, value: null } : dataset, config);
  return { ...schema, '~run': run };
}
