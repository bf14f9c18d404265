/** What differs, so that saving it does not undo what somebody else changed meanwhile. */
export function changedFields<T extends object>(before: { [K in keyof T]?: unknown }, after: T): Partial<T> {
  const names = Object.keys(after) as (keyof T)[];
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<T>;
}
