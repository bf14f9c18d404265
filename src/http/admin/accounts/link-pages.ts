import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DoorlistError } from '../../../errors.ts';
import { findLink, followLink } from '../../../operators/links.ts';
import { completeSetup, requireSetupToken } from '../../../operators/setup.ts';
import { type Html, html } from '../../docs/html.ts';
import { sendPage } from '../../pages/page.ts';
import { closeUnread, sendError } from '../../plugins/errors.ts';
import { STATUS } from '../../problem.ts';
import { refuseCrossSite } from '../core/cross-site.ts';
import { type AdminParts, addressOf } from '../core/parts.ts';

const BODY_BYTES_MAX = 16 * 1024;

/** The pages for the set-up link, invitations and resets: forms that work without scripts. */
export function registerLinkPages(app: FastifyInstance, parts: AdminParts): void {
  const { context, signIns, publicUrl } = parts;
  const route = {
    schema: { hide: true } as object,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      refuseCrossSite(request, publicUrl);
      signIns.take(addressOf(request), reply);
    },
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
      const again = error.code === 'invalid_request' && html`<p>Go back and try again.</p>`;
      const content = html`<p>${sentence(error.message)}</p>${again}`;
      reply.send(sendPage(reply, { status: STATUS[error.code], title: 'This did not work', content }));
    });

    scope.get('/setup/:token', route, async (request, reply) => {
      await requireSetupToken(context, tokenOf(request));
      return sendPage(reply, {
        title: 'Set up Doorlist',
        content: form(html`<p>Create your account. You will be the owner of this installation.</p>`, [
          field('Name', 'name', 'text', 'name'),
          field('Email', 'email', 'email', 'username'),
          newPassword(),
        ]),
      });
    });
    scope.post('/setup/:token', route, async (request, reply) => {
      const { email = '', name = '', password = '' } = fieldsOf(request);
      await completeSetup(context, { token: tokenOf(request), email, name, password }, addressOf(request));
      return sendPage(reply, { title: 'Doorlist is set up', content: done });
    });

    scope.get('/password/:token', route, async (request, reply) => {
      const found = await findLink(context, tokenOf(request));
      if (!found)
        throw new DoorlistError('expired', 'this link has been used or has expired: request a new one');
      const { operator, kind } = found;
      return sendPage(reply, {
        title: kind === 'invitation' ? 'Accept your invitation' : 'Reset your password',
        content: form(html`<p>Choose a password for ${operator.email}.</p>`, [
          kind === 'invitation' ? field('Name', 'name', 'text', 'name', operator.name) : html``,
          newPassword(),
        ]),
      });
    });
    scope.post('/password/:token', route, async (request, reply) => {
      const { name, password = '' } = fieldsOf(request);
      await followLink(context, { token: tokenOf(request), name, password }, addressOf(request));
      return sendPage(reply, { title: 'Your password is set', content: done });
    });
  });
}

const done = html`<p>You can now sign in. You can close this page.</p>`;

function form(lead: Html, fields: Html[]): Html {
  return html`${lead}<form method="post">${fields}<button>Continue</button></form>`;
}

function field(label: string, name: string, type: string, autocomplete: string, value = ''): Html {
  return html`<p><label>${label}<br><input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required></label></p>`;
}

function newPassword(): Html {
  return html`<p><label>Password<br><input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="512" required></label></p>
<p class="soft">At least 12 characters.</p>`;
}

function fieldsOf(request: FastifyRequest): Record<string, string | undefined> {
  return (request.body ?? {}) as Record<string, string | undefined>;
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}

function sentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
}
