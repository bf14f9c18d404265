/** Of names and addresses in sentences and headings. */
const MOST = 80;

export function shorten(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text;
}
