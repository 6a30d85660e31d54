/**
 * Returns the list with some of its items moved next to a target item; `on` counts as `before`. The moved items keep
 * their order.
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
