import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { basePathOf } from '../../../config/public-url.ts';
import { DoorlistError } from '../../../lib/errors.ts';
import { findLink, followLink } from '../../../operators/links.ts';
import { completeSetup, requireSetupToken } from '../../../operators/setup.ts';
import { signIn } from '../../../operators/sign-in.ts';
import { type Html, html } from '../../docs/html.ts';
import { closeUnread, sendError } from '../../plugins/errors.ts';
import { STATUS } from '../../problem.ts';
import { refuseCrossSite } from '../core/cross-site.ts';
import { type AdminParts, addressOf, clientDetails, startSession, takeSignIn } from '../core/parts.ts';
import { type AccountPage, sendAccountPage } from './account-page.ts';

const BODY_BYTES_MAX = 16 * 1024;

type Fields = Record<string, string | undefined>;

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
  const passwordPage = async (token: string, input: Fields = {}): Promise<AccountPage> => {
    const found = await findLink(context, token);
    if (!found)
      throw new DoorlistError('expired', 'this link has been used or has expired: request a new one');
    const { operator, kind } = found;
    const invited = kind === 'invitation';
    return {
      title: invited ? 'Accept your invitation' : 'Reset your password',
      lead: `Choose a password for ${operator.email}.`,
      content: form(invited ? 'Accept invitation' : 'Set password', [
        invited ? field('Name', 'name', 'text', 'name', input.name ?? operator.name) : html``,
        newPassword(),
      ]),
    };
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
      const again = await problemWith(() =>
        completeSetup(context, { token: tokenOf(request), email, name, password }, addressOf(request)),
      );
      if (again) return sendAccountPage(reply, { ...setupPage(input), ...again });
      const client = clientDetails(request);
      startSession(
        parts,
        reply,
        await signIn(parts, { email, password, client, ...parts.cookies.read(request) }),
      );
      return reply.redirect(`${basePathOf(publicUrl)}/`, 303);
    });

    scope.get('/password/:token', route, async (request, reply) =>
      sendAccountPage(reply, await passwordPage(tokenOf(request))),
    );
    scope.post('/password/:token', route, async (request, reply) => {
      const input = fieldsOf(request);
      const { name, password = '' } = input;
      const again = await problemWith(() =>
        followLink(context, { token: tokenOf(request), name, password }, addressOf(request)),
      );
      if (again)
        return sendAccountPage(reply, { ...(await passwordPage(tokenOf(request), input)), ...again });
      return sendAccountPage(reply, {
        title: 'Your password is set',
        lead: 'You can sign in with it now.',
        content: toSignIn,
      });
    });
  });
}

/** What the person can correct is shown above the form. Everything else is an error page. */
async function problemWith(
  act: () => Promise<unknown>,
): Promise<Pick<AccountPage, 'status' | 'problem'> | undefined> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof DoorlistError) || error.code !== 'invalid_request') throw error;
    return { status: STATUS.invalid_request, problem: sentence(error.message.replace(/^(\w+): /, '$1 ')) };
  }
}

function setupPage(input: Fields = {}): AccountPage {
  return {
    title: 'Set up Doorlist',
    lead: 'Create your account. You will be the owner of this installation.',
    content: form('Create account', [
      field('Name', 'name', 'text', 'name', input.name),
      field('Email', 'email', 'email', 'username', input.email),
      newPassword(),
    ]),
  };
}

/** From `/setup/…` and `/password/…`. */
const toSignIn = html`<a class="button" href="../sign-in">Go to sign-in</a>`;

function form(action: string, fields: Html[]): Html {
  return html`<form method="post">${fields}<button>${action}</button></form>`;
}

function field(label: string, name: string, type: string, autocomplete: string, value = ''): Html {
  return html`<label>${label}<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required></label>`;
}

function newPassword(): Html {
  return html`<label>Password<input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="512" required><small>At least 12 characters.</small></label>`;
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
