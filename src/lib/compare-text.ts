/** By code units, for `sort`: the same everywhere, unlike the order of a language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
