import type { IncomingMessage } from 'node:http';

/** For requests whose proxy has left the path of the public URL in place: routes do not know it. */
export function withoutBasePath(base: string): (request: Pick<IncomingMessage, 'url'>) => string {
  return ({ url = '/' }) => {
    if (!url.startsWith(base)) return url;
    const rest = url.slice(base.length);
    if (rest.startsWith('/')) return rest;
    return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
  };
}
