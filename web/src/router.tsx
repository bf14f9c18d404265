import { createRouter } from '@tanstack/react-router';
import { BASE_PATH } from './base-path.ts';
import { routeTree } from './routes.tsx';
import { parseSearch, stringifySearch } from './search.ts';
import { ErrorPage } from './shell/error-page.tsx';
import { NotFound } from './shell/not-found.tsx';

export const router = createRouter({
  routeTree,
  basepath: BASE_PATH === '' ? '/' : BASE_PATH,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <NotFound />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
