import type { FastifyInstance } from 'fastify';
import { DoorlistError } from '../../errors.ts';
import { html } from '../docs/html.ts';
import { closeUnread, sendError } from '../plugins/errors.ts';
import { STATUS } from '../problem.ts';
import type { TypedApp } from '../typed-app.ts';
import { registerConfirmPage } from './confirm.ts';
import { registerJoinPage } from './join.ts';
import { registerLeavePage } from './leave.ts';
import { sendPage } from './page.ts';
import { type PageParts, wantsJson } from './parts.ts';

/** The pages that links in mails lead to. They work without scripts. */
export function registerPages(app: FastifyInstance, parts: PageParts): void {
  app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    // Forms and one-click posts use several content types. The URL alone determines the action.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
    scope.setErrorHandler((error: Error, request, reply) => {
      if (!(error instanceof DoorlistError) || wantsJson(request))
        return sendError(error, request, reply, parts.context.log);
      closeUnread(request, reply);
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
      const page = sendPage(reply, {
        status: STATUS[error.code],
        title: 'Something went wrong',
        content: html`<p>${error.message}.</p>`,
      });
      reply.send(page);
    });
    registerJoinPage(scope, parts);
    registerConfirmPage(scope, parts);
    registerLeavePage(scope, parts);
  });
}
