const PATH = /^(\/[A-Za-z0-9._~-]+)*$/;
/** A proxy may remove the path of the public URL or leave it, so it must not look like one of ours. */
const OWN_PATHS: ReadonlySet<string> = new Set(
  (
    'account admin assets confirm data docs form form.js forgot-password gate healthz instance join leave llms.txt ' +
    'llms-full.txt mail-events mail-frame metrics openapi.json password readyz s sdk setup sign-in status.js ' +
    'unsubscribe w waitlists'
  ).split(' '),
);

/** Returns what is wrong with it, or undefined. */
export function checkPublicUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return 'must be a URL that starts with http:// or https://';
  if (/[?#]/.test(text)) return 'must not have a query or a fragment';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
  const path = pathOf(url);
  if (!PATH.test(path)) return 'its path may have only letters, digits and . _ ~ -';
  const [, first = ''] = path.split('/');
  return OWN_PATHS.has(first)
    ? `its path must not start with /${first}, which Doorlist uses itself`
    : undefined;
}

/** Without a slash at the end. */
export function normalPublicUrl(text: string): string {
  const url = new URL(text);
  return url.origin + pathOf(url);
}

/** The path of the public URL, empty or such as `/waitlist`. */
export function basePathOf(publicUrl: string): string {
  return pathOf(new URL(publicUrl));
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}
