import Type from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import { draftTemplates } from '../../../mail/templates/worker.ts';
import { uploadLogo } from '../../../mail/update-settings.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { tag } from '../../../operations/mails/mail.ts';
import { mails } from '../../../operations/mails/mails.ts';
import {
  EXAMPLE_SETTINGS,
  mailSettings,
  presentUpdated,
  UpdatedSettings,
} from '../../../operations/mails/settings.ts';
import { PICTURE_BYTES_MAX, PICTURE_TYPES } from '../../../waitlist/settings/pictures.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';
import { serveOperations } from '../core/serve-operations.ts';
import { domainFor, environmentQuery, queueOfRequest, waitlistParams } from '../core/waitlist-scope.ts';

export async function registerMails(app: TypedApp, parts: AdminParts): Promise<void> {
  serveOperations(app, parts, mailSettings);
  await registerLogo(app, parts);
  serveOperations(app, parts, mails);
  app.addHook('onClose', () => draftTemplates.rest());
}

const schema = {
  ...adminSchema({
    operationId: 'uploadLogo',
    harmless: 'same again',
    tag,
    summary: 'Upload a logo',
    description:
      'Stores a PNG, JPEG or WebP picture of at most 256 KiB, sent as the body, and sets `logoUrl` to its address. Its content decides, whatever ' +
      'the `Content-Type` says. The last 50 pictures of a waitlist stay, because emails that were sent show them.',
    role: 'admin',
    params: Type.Object(waitlistParams),
    querystring: Type.Object(environmentQuery, closed),
    body: Type.Unsafe<Buffer | undefined>({ description: 'The picture.' }),
    answer: {
      description: 'The settings as they are now.',
      schema: UpdatedSettings,
      example: {
        ...EXAMPLE_SETTINGS,
        logoUrl: 'https://waitlist.example.com/w/wl_acme/pictures/5f2b8c0d9e1a47360b4c8d2e6f10a395.png',
        warnings: [],
      },
    },
    errors: ['not_found'],
    special: {
      not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
      invalid_request: { message: 'logo: must be a PNG, JPEG or WebP picture' },
    },
  }),
  consumes: [...PICTURE_TYPES],
};

/** Awaited, so that routes stay in the order of registration. */
export async function registerLogo(app: TypedApp, parts: AdminParts): Promise<void> {
  await app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post('/waitlists/:waitlistId/logo', { schema, bodyLimit: PICTURE_BYTES_MAX }, async (request) => {
      const { params, query, body } = request;
      await queueOfRequest(parts, params, query);
      if (!body || body.length === 0) throw invalid('body: is required');
      await uploadLogo(domainFor(parts, request), params.waitlistId, body);
      return presentUpdated(parts, params.waitlistId);
    });
  });
}
