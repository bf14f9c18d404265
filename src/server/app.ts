import Fastify, { type FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { basePathOf } from '../config/public-url.ts';
import { ADMIN_API } from '../http/admin/admin-api.ts';
import { registerAdmin } from '../http/admin/admin-routes.ts';
import type { AdminParts } from '../http/admin/core/admin-parts.ts';
import { cookiesFor } from '../http/admin/core/cookies.ts';
import { StreamHub, type StreamTimes } from '../http/admin/core/stream-hub.ts';
import { type Dashboard, registerDashboard } from '../http/dashboard/dashboard-routes.ts';
import { type CaptchaOptions, captchaVerifier } from '../http/form/captcha.ts';
import { registerForms } from '../http/form/form-routes.ts';
import { registerGate } from '../http/gate/gate-routes.ts';
import { registerGuides } from '../http/guides/guide-routes.ts';
import { registerMailEvents } from '../http/mail-events/mail-event-routes.ts';
import { snsOpener } from '../http/mail-events/sns.ts';
import { registerPages } from '../http/pages/page-routes.ts';
import { refuseBrokenQueries, registerJsonBody, requireBodies } from '../http/plugins/body.ts';
import { bodyBudgets } from '../http/plugins/body-budget.ts';
import { bodyReader, type ReadBody } from '../http/plugins/body-reader.ts';
import { registerCors } from '../http/plugins/cors.ts';
import { registerDocs } from '../http/plugins/docs.ts';
import { answerExpectation, answerParserError, registerErrors, sendError } from '../http/plugins/errors.ts';
import {
  registerForwardedAddresses,
  registerProxyWarning,
  withoutBasePath,
} from '../http/plugins/forwarded.ts';
import { registerSecurityHeaders, requestIdOf } from '../http/plugins/headers.ts';
import { registerHealth } from '../http/plugins/health.ts';
import { requireServerKey } from '../http/plugins/keys.ts';
import { type Lifecycle, recordWhenAnswered, registerLifecycle } from '../http/plugins/lifecycle.ts';
import { type MetricsPage, registerMetrics, registerTracing } from '../http/plugins/metrics.ts';
import { registerOpenApi } from '../http/plugins/openapi.ts';
import { rateLimiter } from '../http/plugins/rate-limit.ts';
import { recordRoutes } from '../http/plugins/route-table.ts';
import { pageTurns, registerRequestBatches, searchTurns } from '../http/plugins/turns.ts';
import { UPLOAD_LIMITS, type UploadLimits } from '../http/plugins/upload.ts';
import { registerAcceptInvite } from '../http/sdk/accept-invite.ts';
import { registerCheckInvite } from '../http/sdk/check-invite.ts';
import { registerGetEntry } from '../http/sdk/get-entry.ts';
import { registerListEntries } from '../http/sdk/list-entries.ts';
import { SDK_API } from '../http/sdk/sdk-api.ts';
import type { SdkParts } from '../http/sdk/sdk-parts.ts';
import { registerSignup } from '../http/sdk/signup.ts';
import { registerVerifyWebhook } from '../http/sdk/verify-webhook.ts';
import type { TypedApp } from '../http/typed-app.ts';
import type { OwnCommands } from '../installation/own-commands.ts';
import { allowList } from '../lib/addresses.ts';
import { VERSION } from '../lib/root.ts';
import { openAccounts } from '../mail/operators/notices.ts';
import { type OpenDns, openDns } from '../mail/sender/dns.ts';
import type { EmailParts } from '../operations/core/parts.ts';
import { auditAs } from '../operators/audit.ts';
import type { Passwords } from '../operators/password.ts';
import { recordReadings } from '../operators/recorded-reads.ts';
import { PERSON, referenceTo } from '../operators/roles.ts';
import type { SessionLimits } from '../operators/sessions.ts';
import { slowDown } from '../operators/slow-down.ts';
import { countRefusals } from '../waitlist/forms/refusals.ts';
import type { KeyUsage } from '../waitlist/keys/key-usage.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Signups } from '../waitlist/signup/signup.ts';
import { createGuard } from '../webhooks/guard.ts';
import { type Get, guardedGet } from '../webhooks/requests.ts';
import { compileValidator } from '../wire/validation.ts';
import { DASHBOARD_DIRECTORY } from './build-dashboard.ts';

export interface AppParts {
  context: Context;
  /** `all` unless given. */
  role?: Config['role'];
  requestLines?: Config['requestLines'];
  signups: Signups;
  keyUsage: KeyUsage;
  rateLimits: Config['rateLimits'];
  /** Other addresses of CAPTCHA providers, for tests. */
  captchaUrls?: CaptchaOptions['urls'];
  /** Stands in for Amazon, in tests. */
  get?: Get;
  /** Certificates that those of Amazon must lead to, in tests. */
  snsRoots?: readonly string[];
  /** The public address of the service: determines the cookie, and what counts as cross-site. */
  publicUrl: string;
  emails: EmailParts;
  /** How commands are run on this installation. */
  commands: OwnCommands;
  /** Stands in for the DNS, in tests. */
  openDns?: OpenDns;
  /** Everything that is known about the installation. */
  checkHealth: AdminParts['checkHealth'];
  sessions: SessionLimits;
  /** Cheaper in tests, and of the main thread on others. */
  passwords?: Passwords;
  trustedProxies: string[];
  /** Private hosts that webhooks may be sent to. */
  webhookAllow: string[];
  /** For requests to CAPTCHA providers and to Amazon. */
  webhookProxy?: string | undefined;
  timeouts?: Partial<Timeouts>;
  uploads?: Partial<UploadLimits>;
  streamTimes?: Partial<StreamTimes>;
  dashboard?: Dashboard;
  metrics?: MetricsPage;
}

export interface Timeouts {
  /** To receive the headers of a request. */
  headersMs: number;
  /** To receive a whole request, except an upload. */
  requestMs: number;
  /** How often to look for slow connections. */
  checkMs: number;
}

const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 30_000, checkMs: 2_000 };
const HEADER_BYTES_MAX = 16 * 1024;
const KEEP_ALIVE_MS = 75_000; // Longer than load balancers keep theirs, so that they close first.

/** Without any route: what applies to every request. */
export function openApp(
  parts: Pick<AppParts, 'context' | 'publicUrl' | 'trustedProxies' | 'timeouts' | 'requestLines'>,
): {
  app: FastifyInstance;
  lifecycle: Lifecycle;
  readBody: ReadBody;
} {
  const { context, requestLines } = parts;
  const recorders = { ...context, requestLines };
  const timeouts = { ...TIMEOUTS, ...parts.timeouts };
  const base = basePathOf(parts.publicUrl);
  const app = Fastify({
    logger: false,
    genReqId: requestIdOf,
    trustProxy: parts.trustedProxies.length > 0 ? parts.trustedProxies : false,
    ...(base === '' ? {} : { rewriteUrl: withoutBasePath(base) }),
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    return503OnClosing: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: timeouts.requestMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false, // Checked in the lifecycle instead, because Node would send an empty body.
    },
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      recordWhenAnswered(recorders, request, reply, undefined); // No hook runs for a malformed path.
      sendError(error, request, reply, context.log);
    },
  });
  app.server.on('checkExpectation', answerExpectation);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(() => JSON.stringify);
  registerErrors(app, context.log);
  registerSecurityHeaders(app, parts.publicUrl); // First, so that refusals have them too.
  const readBody = bodyReader(bodyBudgets(context.counts));
  registerJsonBody(app, readBody);
  requireBodies(app);
  refuseBrokenQueries(app);
  if (parts.trustedProxies.length > 0) registerForwardedAddresses(app);
  registerProxyWarning(app, context.log);
  const routes = recordRoutes(app);
  if (context.tracer) registerTracing(app, context.tracer); // First, so that refusals are traced too.
  const lifecycle = registerLifecycle(app, recorders, routes);
  registerRequestBatches(app);
  registerCors(app);
  return { app, lifecycle, readBody };
}

/** Builds the HTTP app from its parts. Reads no environment and opens no port. */
export async function buildApp(
  parts: AppParts,
): Promise<{ app: FastifyInstance } & Pick<Lifecycle, 'announceStop' | 'isProbed' | 'drain'>> {
  const { context } = parts;
  const base = basePathOf(parts.publicUrl);
  const { app, lifecycle, readBody } = openApp(parts);
  const document = await registerOpenApi(app, SDK_API, VERSION, base);
  const adminDocument = await registerOpenApi(app, ADMIN_API, VERSION, base);
  const reference = { title: SDK_API.title, path: '/docs' };
  const adminReference = { title: ADMIN_API.title, path: '/docs/admin' };
  const guides = registerGuides(app, {
    base,
    references: [
      { ...reference, document },
      { ...adminReference, document: adminDocument },
    ],
  });
  registerDocs(app, { path: '/docs', source: SDK_API.path, document, base, related: adminReference, guides });
  registerDocs(app, {
    path: '/docs/admin',
    source: ADMIN_API.path,
    document: adminDocument,
    base,
    related: reference,
    guides,
  });
  const dashboard = parts.dashboard ?? {
    directory: DASHBOARD_DIRECTORY,
    problem: () => undefined,
    building: () => false,
  };
  registerHealth(app.withTypeProvider(), context, { role: parts.role ?? 'all', dashboard });
  const refusals = countRefusals(context);
  app.addHook('onClose', () => refusals.close());
  const web = guardedGet({
    guard: createGuard(allowList(parts.webhookAllow), { plain: true }),
    proxyUrl: parts.webhookProxy,
  });
  app.addHook('onClose', () => web.close());
  const pageTurn = pageTurns(lifecycle);
  const operators = await openAccounts(context, parts.passwords);
  const asPerson = { ...context, audit: auditAs(operators, PERSON), actor: referenceTo(PERSON) };
  registerSdk(app, { get: web.get, asPerson, ...parts }, { readBody, pageTurn });
  const streams = new StreamHub(context, parts.streamTimes);
  app.addHook('preClose', async () => streams.close());
  const cookies = cookiesFor(parts.publicUrl);
  const captcha = captchaVerifier(
    {
      guard: createGuard(allowList(parts.webhookAllow)),
      proxyUrl: parts.webhookProxy,
      ...(parts.captchaUrls ? { urls: parts.captchaUrls } : {}),
    },
    context.log,
  );
  app.addHook('onClose', () => captcha.close());
  registerForms(app, {
    context,
    publicUrl: parts.publicUrl,
    hasMailServer: parts.emails.smtp,
    sender: parts.emails.smtp ? parts.emails.from : null,
    refusals,
    readBody,
    verifyCaptcha: captcha.verify,
    reading: rateLimiter('form-read', parts.rateLimits.formRead, context),
    post: rateLimiter('form', parts.rateLimits.form, context),
    perWaitlist: rateLimiter('form-waitlist', parts.rateLimits.formWaitlist, context),
  });
  const failures = rateLimiter('admin-auth-failures', parts.rateLimits.authFailures, context);
  if (parts.metrics) registerMetrics(app, parts.metrics, { context: operators, failures });
  registerAdmin(app, {
    guard: createGuard(allowList(parts.webhookAllow)),
    streams,
    makeWay: lifecycle.makeWay,
    pageTurn,
    searchTurn: searchTurns(lifecycle),
    uploads: { ...UPLOAD_LIMITS, ...parts.uploads },
    context: operators,
    waitlists: context,
    publicUrl: parts.publicUrl,
    cookies,
    emails: parts.emails,
    commands: parts.commands,
    openDns: parts.openDns ?? openDns,
    checkHealth: parts.checkHealth,
    limits: parts.sessions,
    slowDown: slowDown(context),
    failures,
    signIns: rateLimiter('sign-in', parts.rateLimits.signIn, context),
    refusals,
    recordReading: recordReadings(operators),
  });
  registerDashboard(app, {
    context: operators,
    publicUrl: parts.publicUrl,
    base,
    cookies,
    limits: parts.sessions,
    ...dashboard,
  });
  return {
    app,
    announceStop: lifecycle.announceStop,
    isProbed: lifecycle.isProbed,
    drain: () => {
      streams.close();
      return lifecycle.drain();
    },
  };
}

function registerSdk(
  app: FastifyInstance,
  {
    context,
    asPerson,
    signups,
    keyUsage,
    rateLimits,
    publicUrl,
    emails,
    get,
    snsRoots,
  }: AppParts & { asPerson: Context; get: Get },
  { readBody, pageTurn }: Pick<SdkParts, 'readBody' | 'pageTurn'>,
): void {
  const limit = (name: string, perMinute: number) => rateLimiter(name, perMinute, context);
  const failures = limit('auth-failures', rateLimits.authFailures);
  const perKey = limit('key', rateLimits.perKey);
  const sdk: SdkParts = {
    context,
    signups,
    publicUrl,
    readBody,
    pageTurn,
    requireKey: requireServerKey(app, { context, keyUsage, failures, perKey }),
    limits: {
      inviteCheck: limit('invite-check', rateLimits.inviteCheck),
      inviteAccept: limit('invite-accept', rateLimits.inviteAccept),
      verify: limit('verify', rateLimits.verify),
    },
  };
  app.register(
    async (scope: TypedApp) => {
      registerSignup(scope, sdk);
      registerListEntries(scope, sdk);
      registerGetEntry(scope, sdk);
      await registerVerifyWebhook(scope, sdk);
      registerCheckInvite(scope, sdk);
      registerAcceptInvite(scope, sdk);
    },
    { prefix: '/sdk/v1/waitlist' },
  );
  const hooks = { context, keyUsage, readBody, failures, perKey };
  registerGate(app.withTypeProvider(), hooks);
  registerMailEvents(app.withTypeProvider(), { ...hooks, openSns: snsOpener(get, snsRoots) });
  registerPages(app, {
    context,
    asPerson,
    publicUrl,
    hasMailServer: emails.smtp,
    sender: emails.smtp ? emails.from : null,
    reading: sdk.limits.inviteCheck,
    acting: sdk.limits.inviteAccept,
  });
}
