import type { ServerResponse } from 'node:http';
import type { ProxyOptions } from 'vite';

/** Its pages, and the modules as Vite names them. `/setup` is a page, `/setup/TOKEN` is the server's. */
const DASHBOARD = [
  '($|\\?)',
  '(sign-in|forgot-password|setup)($|\\?)',
  '(account|waitlists|instance)($|[/?])',
  '(@|src/|node_modules/|index\\.html)',
];

export function proxyTo(target: string): Record<string, ProxyOptions> {
  return {
    [`^/(?!${DASHBOARD.join('|')})`]: {
      target,
      configure: (proxy) => {
        proxy.on('error', (_error, _request, response) => {
          if ('writeHead' in response) answerRestarting(response);
        });
      },
    },
  };
}

/** As the server itself answers while it starts. */
function answerRestarting(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end(
    JSON.stringify({ code: 'unavailable', message: 'the server restarts: try again in a moment' }),
  );
}
