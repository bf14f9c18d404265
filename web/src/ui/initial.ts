const characters = new Intl.Segmenter();

/** The first character of a name as people see it: an emoji is one. */
export function initialOf(name: string): string {
  const [first] = characters.segment(name);
  return first?.segment.toUpperCase() ?? '';
}
