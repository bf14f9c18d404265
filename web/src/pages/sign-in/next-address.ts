/**
 * Where to go after signing in: an address of this dashboard, in full. As a path alone, `//evil.example` would lead
 * to another one.
 */
export function nextAddress(next: string | undefined, origin: string, base = ''): string {
  const home = `${origin}${base}/`;
  if (next === undefined || !URL.canParse(next, origin)) return home;
  const url = new URL(next, origin);
  const isOurs = url.origin === origin && url.pathname.startsWith(`${base}/`);
  return isOurs && next.startsWith('/') ? url.href : home;
}
