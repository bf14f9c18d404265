import Type from 'typebox';
import { closed, PasswordProof } from '../../../operations/core/schemas.ts';
import {
  DAMAGED_ENDPOINT,
  EXAMPLE_ENDPOINT,
  EXAMPLE_SECRET,
  endpointParams,
} from '../../../operations/webhooks/endpoints.ts';
import { requirePassword } from '../../../operators/own-account.ts';
import { revealSecret } from '../../../webhooks/endpoint-secrets.ts';
import { findEndpointIn } from '../../../webhooks/endpoints.ts';
import { presentRevealedSecret } from '../../../webhooks/present.ts';
import { idPattern, named, timeOrNull } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, personOf } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';
import { domainFor, environmentQuery, queueOfRequest, waitlistParams } from '../core/waitlist-scope.ts';

const Secrets = Type.Object(
  {
    id: Type.String({ ...idPattern('whe'), description: 'Id of the endpoint.' }),
    secret: Type.String({ description: 'Current signing secret.' }),
    previous: Type.Array(
      Type.Object(
        {
          secret: Type.String({ description: 'An earlier secret that still signs deliveries.' }),
          endsAt: timeOrNull('When it stops signing them.'),
        },
        { ...named('PreviousSecret'), description: 'A secret that was rotated.' },
      ),
      { description: 'Secrets that still sign deliveries after a rotation.' },
    ),
  },
  { ...named('WebhookSecrets'), description: 'The signing secrets of an endpoint.' },
);

const schema = adminSchema({
  operationId: 'showWebhookSecret',
  tag: 'Webhook endpoints',
  summary: 'Show the signing secret',
  description: 'Shows the signing secret of an endpoint again. Tokens are refused.',
  role: 'admin',
  person: true,
  params: Type.Object({ ...waitlistParams, ...endpointParams }),
  querystring: Type.Object(environmentQuery, closed),
  body: PasswordProof,
  answer: {
    description: 'The secret.',
    schema: Secrets,
    example: { id: EXAMPLE_ENDPOINT.id, secret: EXAMPLE_SECRET, previous: [] },
  },
  errors: ['not_found'],
  special: {
    not_found: {
      when: 'The waitlist or the endpoint does not exist.',
      message: `there is no endpoint ${EXAMPLE_ENDPOINT.id}`,
    },
    ...DAMAGED_ENDPOINT,
    forbidden: {
      when: 'The role is not sufficient, or the password is wrong.',
      message: 'password: is incorrect',
    },
  },
});

/** A route, because the caller proves with a password to be the person who signed in. */
export function registerShowSecret(app: TypedApp, parts: AdminParts): void {
  app.post('/waitlists/:waitlistId/webhooks/:endpointId/secret', { schema }, async (request) => {
    const { params, query, body } = request;
    const queue = await queueOfRequest(parts, params, query);
    await findEndpointIn(parts.waitlists, queue, params.endpointId);
    await requirePassword(parts, personOf(request).actor, body.password);
    return presentRevealedSecret(await revealSecret(domainFor(parts, request), params.endpointId));
  });
}
