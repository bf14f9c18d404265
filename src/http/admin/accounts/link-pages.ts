import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { basePathOf } from '../../../config/public-url.ts';
import { DoorlistError } from '../../../lib/errors.ts';
import { findLink, followLink } from '../../../operators/links.ts';
import type { Operator } from '../../../operators/operator.ts';
import { completeSetup, requireSetupToken } from '../../../operators/setup.ts';
import { signInByLink } from '../../../operators/sign-in.ts';
import { type Html, html } from '../../docs/html.ts';
import { closeUnread, sendError } from '../../plugins/errors.ts';
import { clientOf } from '../../plugins/rate-limit.ts';
import { STATUS } from '../../problem.ts';
import { type AdminParts, clientDetails, startSession, takeSignIn } from '../core/admin-parts.ts';
import { refuseCrossSite } from '../core/authenticate.ts';
import { type AccountPage, SHOW_PASSWORD, sendAccountPage } from './account-page.ts';

const BODY_BYTES_MAX = 16 * 1024;

type Fields = Record<string, string | undefined>;

/** What is wrong with which field. */
interface Wrong {
  name: string;
  message: string;
}

/** The pages for the set-up link, invitations and resets: forms that work without scripts. */
export function registerLinkPages(app: FastifyInstance, parts: AdminParts): void {
  const { context, publicUrl } = parts;
  const route = {
    schema: { hide: true } as object,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      refuseCrossSite(request, publicUrl);
      await takeSignIn(parts, request, reply, tokenOf(request));
    },
  };
  const passwordPage = async (token: string, input: Fields = {}, wrong?: Wrong): Promise<AccountPage> => {
    const found = await findLink(context, token);
    if (!found)
      throw new DoorlistError('expired', 'this link has been used or has expired: request a new one');
    const { operator, kind } = found;
    const invited = kind === 'invitation';
    return {
      title: invited ? 'Accept your invitation' : 'Reset your password',
      lead: `Choose a password for ${operator.email}.`,
      content: form(invited ? 'Accept invitation' : 'Set password', [
        invited ? field('Name', 'name', 'text', 'name', input.name ?? operator.name, wrong, 'first') : html``,
        newPassword(input.password, wrong, invited ? undefined : 'first'),
      ]),
    };
  };
  /** The link has done its work. Whoever has no second factor need not type the password again. */
  const welcome = async (request: FastifyRequest, reply: FastifyReply, operator: Operator) => {
    const browser = { client: clientDetails(request), ...parts.cookies.read(request) };
    const signedIn = await signInByLink(parts, operator, browser);
    if (!signedIn)
      return sendAccountPage(reply, {
        title: 'Your password is set',
        lead: 'Sign in with it and a code of your authenticator app.',
        content: toSignIn,
      });
    startSession(parts, reply, signedIn);
    return reply.redirect(`${basePathOf(publicUrl)}/`, 303);
  };

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    );
    scope.setErrorHandler((error: Error, request, reply) => {
      if (!(error instanceof DoorlistError)) return sendError(error, request, reply, context.log);
      closeUnread(request, reply);
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
      const isOver = error.code === 'not_found' || error.code === 'expired';
      const title = isOver ? 'This link does not work' : 'This did not work';
      const page = { title, lead: sentence(error.message), content: toSignIn };
      reply.send(sendAccountPage(reply, { status: STATUS[error.code], ...page }));
    });

    scope.get('/setup/:token', route, async (request, reply) => {
      await requireSetupToken(context, tokenOf(request));
      return sendAccountPage(reply, setupPage());
    });
    scope.post('/setup/:token', route, async (request, reply) => {
      const input = fieldsOf(request);
      const { email = '', name = '', password = '' } = input;
      const setup = { token: tokenOf(request), email, name, password };
      const done = await correctable(() => completeSetup(context, setup, clientOf(request)));
      if ('again' in done)
        return sendAccountPage(reply, { ...setupPage(input, done.again.wrong), ...done.again });
      return welcome(request, reply, done.value);
    });

    scope.get('/password/:token', route, async (request, reply) =>
      sendAccountPage(reply, await passwordPage(tokenOf(request))),
    );
    scope.post('/password/:token', route, async (request, reply) => {
      const input = fieldsOf(request);
      const { name, password = '' } = input;
      const link = { token: tokenOf(request), name, password };
      const done = await correctable(() => followLink(context, link, clientOf(request)));
      if ('value' in done) return welcome(request, reply, done.value);
      const page = await passwordPage(tokenOf(request), input, done.again.wrong);
      return sendAccountPage(reply, { ...page, ...done.again });
    });
  });
}

type Correctable<T> = { value: T } | { again: Pick<AccountPage, 'status' | 'problem'> & { wrong?: Wrong } };

/** What the person can correct is shown at its field, or above the form. Everything else is an error page. */
async function correctable<T>(act: () => Promise<T>): Promise<Correctable<T>> {
  try {
    return { value: await act() };
  } catch (error) {
    if (!(error instanceof DoorlistError) || error.code !== 'invalid_request') throw error;
    const [, name, message] = /^(\w+): (.*)$/.exec(error.message) ?? [];
    const status = STATUS.invalid_request;
    if (name === undefined) return { again: { status, problem: sentence(error.message) } };
    return { again: { status, wrong: { name, message: sentence(`${name} ${message}`) } } };
  }
}

function setupPage(input: Fields = {}, wrong?: Wrong): AccountPage {
  return {
    title: 'Set up Doorlist',
    lead: 'Create your account. You will be the owner of this installation.',
    content: form('Create account', [
      field('Name', 'name', 'text', 'name', input.name, wrong, 'first'),
      field('Email', 'email', 'email', 'username', input.email, wrong),
      newPassword(input.password, wrong),
    ]),
  };
}

/** From `/setup/…` and `/password/…`. */
const toSignIn = html`<a class="button" href="../sign-in">Go to sign-in</a>`;

function form(action: string, fields: Html[]): Html {
  return html`<form method="post">${fields}<button>${action}</button></form>`;
}

function field(
  label: string,
  name: string,
  type: string,
  autocomplete: string,
  value = '',
  wrong?: Wrong,
  place?: 'first',
): Html {
  const mark = markOf(name, wrong, place);
  return html`<label>${label}<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required${mark.attributes}></label>${mark.message}`;
}

/** What was refused stays, to be corrected: the page goes to whoever typed it, and is stored nowhere. */
function newPassword(value = '', wrong?: Wrong, place?: 'first'): Html {
  const mark = markOf('password', wrong, place);
  return html`<label>Password<input id="password" name="password" type="password" autocomplete="new-password" value="${value}" minlength="12" maxlength="512" required${mark.attributes}><small>At least 12 characters.</small></label>${mark.message}${SHOW_PASSWORD}`;
}

/** Focuses the field that is wrong, or the first one. */
function markOf(name: string, wrong: Wrong | undefined, place: 'first' | undefined) {
  if (wrong?.name === name)
    return {
      attributes: html` aria-invalid="true" aria-describedby="${name}-wrong" autofocus`,
      message: html`<p class="wrong" role="alert" id="${name}-wrong">${wrong.message}</p>`,
    };
  return { attributes: place === 'first' && !wrong ? html` autofocus` : html``, message: html`` };
}

function fieldsOf(request: FastifyRequest): Fields {
  return (request.body ?? {}) as Fields;
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}

function sentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
}
