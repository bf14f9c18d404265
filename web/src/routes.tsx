import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { DELIVERY_STATES, type DeliveryState } from './api/choices.ts';
import { instanceQuery } from './api/instance.ts';
import {
  MAIL_KINDS,
  MAIL_LANGUAGES,
  MAIL_STATES,
  type MailKind,
  type MailLanguage,
  type MailState,
} from './api/mail-choices.ts';
import { meQuery } from './api/me.ts';
import { prepare, queryClient } from './api/query-client.ts';
import { waitlistQuery } from './api/waitlists.ts';
import { readCodesSearch } from './pages/codes/codes-search.ts';
import {
  FORM_TABS,
  type FormTab,
  REFUSED_PERIOD_NAMES,
  type RefusedPeriod,
} from './pages/form/form-choices.ts';
import { readInvitesSearch } from './pages/invites/invites-search.ts';
import { readOverviewSearch } from './pages/overview/periods.ts';
import { readQueueSearch } from './pages/queue/queue-search.ts';
import { readReviewSearch } from './pages/review/review-search.ts';
import { TRANSFER_TABS, type TransferTab } from './pages/transfer/transfer-tabs.ts';
import { choiceOf, textOf } from './search.ts';
import { ErrorPage } from './shell/error-page.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { WaitlistLayout } from './shell/waitlist-layout.tsx';
import { WholePage } from './shell/whole-page.tsx';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <WholePage>
      <NotFound whole />
    </WholePage>
  ),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string; ended?: string } => ({
    next: textOf(search.next),
    ended: textOf(search.ended),
  }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(
    () => import('./pages/sign-in/forgot-password-page.tsx'),
    'ForgotPasswordPage',
  ),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./pages/sign-in/setup-page.tsx'), 'SetupPage'),
});

/** Everything behind the sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  loader: () => queryClient.ensureQueryData(meQuery),
  errorComponent: (props) => (
    <WholePage>
      <ErrorPage {...props} whole />
    </WholePage>
  ),
  component: Shell,
});
const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/waitlists', replace: true });
  },
});
const ACCOUNT_TABS = ['profile', 'security', 'sessions'] as const;
type AccountTab = (typeof ACCOUNT_TABS)[number];
const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  validateSearch: (search): { tab?: AccountTab } => ({ tab: choiceOf(search.tab, ACCOUNT_TABS) }),
  component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
});
const team = createRoute({
  getParentRoute: () => shell,
  path: '/instance/team',
  component: lazyRouteComponent(() => import('./pages/team/team-page.tsx'), 'TeamPage'),
});
const tokens = createRoute({
  getParentRoute: () => shell,
  path: '/instance/tokens',
  component: lazyRouteComponent(() => import('./pages/tokens/tokens-page.tsx'), 'TokensPage'),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/instance/audit',
  validateSearch: (search): { action?: string; actor?: string; object?: string; record?: string } => ({
    action: textOf(search.action),
    actor: textOf(search.actor),
    object: textOf(search.object),
    record: textOf(search.record),
  }),
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});

const productKeys = createRoute({
  getParentRoute: () => shell,
  path: '/instance/keys',
  validateSearch: (search): { environment?: string } => ({ environment: textOf(search.environment) }),
  component: lazyRouteComponent(() => import('./pages/keys/product-keys-page.tsx'), 'ProductKeysPage'),
});
const environments = createRoute({
  getParentRoute: () => shell,
  path: '/instance/environments',
  component: lazyRouteComponent(
    () => import('./pages/environments/environments-page.tsx'),
    'EnvironmentsPage',
  ),
});
const health = createRoute({
  getParentRoute: () => shell,
  path: '/instance/health',
  component: lazyRouteComponent(() => import('./pages/health/health-page.tsx'), 'HealthPage'),
});

const waitlists = createRoute({
  getParentRoute: () => shell,
  path: '/waitlists',
  validateSearch: (search): { create?: string; search?: string } => ({
    create: textOf(search.create),
    search: textOf(search.search),
  }),
  component: lazyRouteComponent(() => import('./pages/waitlists/waitlists-page.tsx'), 'WaitlistsPage'),
});

/** Pages of one waitlist. `environment` is in the address of each; production where it is missing. */
const waitlist = createRoute({
  getParentRoute: () => shell,
  path: '/waitlists/$waitlistId',
  validateSearch: (search): { environment?: string } => ({ environment: textOf(search.environment) }),
  loaderDeps: ({ search: { environment } }) => ({ environment }),
  loader: ({ params: { waitlistId }, deps: { environment } }) =>
    Promise.all([
      prepare(waitlistQuery({ waitlistId, environment })),
      // Days in addresses are read in its time zone.
      queryClient.ensureQueryData(instanceQuery).catch(() => undefined),
    ]),
  component: WaitlistLayout,
});
const overview = createRoute({
  getParentRoute: () => waitlist,
  path: '/',
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});
const queue = createRoute({
  getParentRoute: () => waitlist,
  path: '/queue',
  validateSearch: readQueueSearch,
  component: lazyRouteComponent(() => import('./pages/queue/queue-page.tsx'), 'QueuePage'),
});
const review = createRoute({
  getParentRoute: () => waitlist,
  path: '/queue/review',
  validateSearch: readReviewSearch,
  component: lazyRouteComponent(() => import('./pages/review/review-page.tsx'), 'ReviewPage'),
});
const invites = createRoute({
  getParentRoute: () => waitlist,
  path: '/invites',
  validateSearch: readInvitesSearch,
  component: lazyRouteComponent(() => import('./pages/invites/invites-page.tsx'), 'InvitesPage'),
});
const codes = createRoute({
  getParentRoute: () => waitlist,
  path: '/codes',
  validateSearch: readCodesSearch,
  component: lazyRouteComponent(() => import('./pages/codes/codes-page.tsx'), 'CodesPage'),
});
const waves = createRoute({
  getParentRoute: () => waitlist,
  path: '/waves',
  component: lazyRouteComponent(() => import('./pages/waves/waves-page.tsx'), 'WavesPage'),
});
const wave = createRoute({
  getParentRoute: () => waitlist,
  path: '/waves/$waveId',
  component: lazyRouteComponent(() => import('./pages/waves/wave-page.tsx'), 'WavePage'),
});
const apiPage = createRoute({
  getParentRoute: () => waitlist,
  path: '/api',
  component: lazyRouteComponent(() => import('./pages/api/api-page.tsx'), 'ApiPage'),
});
const form = createRoute({
  getParentRoute: () => waitlist,
  path: '/form',
  validateSearch: (search): { tab?: FormTab; period?: RefusedPeriod } => ({
    tab: choiceOf(search.tab, FORM_TABS),
    period: choiceOf(search.period, REFUSED_PERIOD_NAMES),
  }),
  component: lazyRouteComponent(() => import('./pages/form/form-page.tsx'), 'FormPage'),
});
const transfer = createRoute({
  getParentRoute: () => waitlist,
  path: '/transfer',
  validateSearch: (search): { tab?: TransferTab; job?: string } => ({
    tab: choiceOf(search.tab, TRANSFER_TABS),
    job: textOf(search.job),
  }),
  component: lazyRouteComponent(() => import('./pages/transfer/transfer-page.tsx'), 'TransferPage'),
});
const settings = createRoute({
  getParentRoute: () => waitlist,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const webhooks = createRoute({
  getParentRoute: () => waitlist,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const endpoint = createRoute({
  getParentRoute: () => waitlist,
  path: '/webhooks/$endpointId',
  validateSearch: (search): { state?: DeliveryState; event?: string; delivery?: string } => ({
    state: choiceOf(search.state, DELIVERY_STATES),
    event: textOf(search.event),
    delivery: textOf(search.delivery),
  }),
  component: lazyRouteComponent(() => import('./pages/webhooks/endpoint-page.tsx'), 'EndpointPage'),
});

interface MailSearch {
  mail?: string | undefined;
  state?: MailState | undefined;
  kind?: MailKind | undefined;
}
const mailSearch = (search: Record<string, unknown>): MailSearch => ({
  mail: textOf(search.mail),
  state: choiceOf(search.state, MAIL_STATES),
  kind: choiceOf(search.kind, MAIL_KINDS),
});
const EMAIL_TABS = ['templates', 'log', 'delivery', 'settings', 'suppressions'] as const;
const emails = createRoute({
  getParentRoute: () => waitlist,
  path: '/emails',
  validateSearch: (search): MailSearch & { tab?: (typeof EMAIL_TABS)[number] } => ({
    tab: choiceOf(search.tab, EMAIL_TABS),
    ...mailSearch(search),
  }),
  loader: () => prepare(instanceQuery),
  component: lazyRouteComponent(() => import('./pages/emails/emails-page.tsx'), 'EmailsPage'),
});
const PREVIEWS = ['desktop', 'phone', 'text'] as const;
const template = createRoute({
  getParentRoute: () => waitlist,
  path: '/emails/$kind',
  validateSearch: (search): { view?: (typeof PREVIEWS)[number]; language?: MailLanguage } => ({
    view: choiceOf(search.view, PREVIEWS),
    language: choiceOf(search.language, MAIL_LANGUAGES),
  }),
  component: lazyRouteComponent(() => import('./pages/emails/template-page.tsx'), 'TemplatePage'),
});
const mailbox = createRoute({
  getParentRoute: () => shell,
  path: '/instance/mailbox',
  validateSearch: (search): MailSearch & { waitlist?: string; environment?: string } => ({
    waitlist: textOf(search.waitlist),
    environment: textOf(search.environment),
    ...mailSearch(search),
  }),
  loader: () => prepare(instanceQuery),
  component: lazyRouteComponent(() => import('./pages/mailbox/mailbox-page.tsx'), 'MailboxPage'),
});

export const routeTree = root.addChildren([
  signIn,
  forgotPassword,
  setup,
  shell.addChildren([
    home,
    account,
    team,
    tokens,
    audit,
    productKeys,
    mailbox,
    environments,
    health,
    waitlists,
    waitlist.addChildren([
      transfer,
      overview,
      queue,
      review,
      invites,
      codes,
      waves,
      wave,
      apiPage,
      settings,
      webhooks,
      endpoint,
      form,
      emails,
      template,
    ]),
  ]),
]);
