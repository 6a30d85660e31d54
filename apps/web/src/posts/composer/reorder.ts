/**
 * Returns the list with some of its items moved before or after a target item, in their previous order. `on` counts as
 * `before`.
 */
export function reorder(
  ids: readonly string[],
  moved: readonly string[],
  target: string,
  position: 'before' | 'after' | 'on',
): readonly string[] {
  if (moved.includes(target)) return ids;
  const rest = ids.filter((id) => !moved.includes(id));
  const at = rest.indexOf(target) + (position === 'after' ? 1 : 0);
  return rest.toSpliced(at, 0, ...ids.filter((id) => moved.includes(id)));
}
