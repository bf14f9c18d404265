import type { FastifyInstance } from 'fastify';
import type { Texts } from '../../languages/texts.ts';
import { DoorlistError, type ErrorCode } from '../../lib/errors.ts';
import { closeUnread, sendError } from '../plugins/errors.ts';
import { STATUS } from '../problem.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { registerConfirmPage } from './confirm.ts';
import { registerJoinPage } from './join.ts';
import { registerLeavePage } from './leave.ts';
import { registerOwnDataPage } from './own-data.ts';
import { noticePage, type Page, sendPage } from './page.ts';
import { type PageParts, wantsJson } from './page-parts.ts';

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
      const texts = textsFor(request);
      reply.send(sendPage(reply, errorPage(error.code, texts), texts));
    });
    registerJoinPage(scope, parts);
    registerConfirmPage(scope, parts);
    registerLeavePage(scope, parts);
    registerOwnDataPage(scope, parts);
  });
}

function errorPage(code: ErrorCode, { errors }: Texts): Page {
  const texts: Partial<Record<ErrorCode, string>> = {
    rate_limited: errors.rateLimited,
    unavailable: errors.unavailable,
    invalid_request: errors.notFound.text,
  };
  return noticePage({ title: errors.title, text: texts[code] ?? errors.other }, STATUS[code]);
}
