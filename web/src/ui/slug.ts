/** "Café au lait" becomes `cafe-au-lait`. Empty without Latin letters and digits. */
export function slugOf(text: string, separator: '-' | '_'): string {
  const plain = text.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
  return (plain.match(/[a-z0-9]+/g) ?? []).join(separator);
}
