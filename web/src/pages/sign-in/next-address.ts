/**
 * Where to go after signing in: an address of this site, in full. As a path alone, `//evil.example` would lead
 * to another one.
 */
export function nextAddress(next: string | undefined, origin: string): string {
  const home = `${origin}/`;
  if (next === undefined || !URL.canParse(next, origin)) return home;
  const url = new URL(next, origin);
  return url.origin === origin && next.startsWith('/') ? url.href : home;
}
