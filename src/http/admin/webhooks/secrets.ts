import Type from 'typebox';
import { DAY_MS } from '../../../lib/time.ts';
import { closed, PasswordProof } from '../../../operations/core/schemas.ts';
import { requirePassword } from '../../../operators/own-account.ts';
import {
  DEFAULT_OVERLAP_MS,
  revealSecret,
  rotateEndpointSecret,
} from '../../../webhooks/endpoint-secrets.ts';
import { presentRevealedSecret, presentRotatedSecret } from '../../../webhooks/present.ts';
import { idPattern, named, timeOrNull, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import { type AdminParts, personOf } from '../core/parts.ts';
import { domainFor, environmentQuery } from '../core/waitlist-scope.ts';
import { EndpointParams, EXAMPLE_ENDPOINT, EXAMPLE_SECRET } from './schemas.ts';
import { DAMAGED_ENDPOINT, NO_ENDPOINT, requireEndpoint } from './scope.ts';

const tag = 'Webhook endpoints';
const OVERLAP_MS_MAX = 30 * DAY_MS;
const querystring = Type.Object(environmentQuery, closed);
const id = Type.String({ ...idPattern('whe'), description: 'Id of the endpoint.' });

const Secrets = Type.Object(
  {
    id,
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

const Rotation = Type.Object(
  {
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_MS_MAX,
        description: 'How long the old secret also signs deliveries. Default: 24 hours. 0: not at all.',
      }),
    ),
  },
  {
    ...named('SecretRotation'),
    ...closed,
    description: 'How to rotate.',
    ...withExamples({ hour: { summary: 'Overlap of an hour', value: { overlapMs: 3_600_000 } } }),
  },
);

const RotatedSecret = Type.Object(
  {
    id,
    secret: Type.String({ description: 'New signing secret, shown only here.' }),
    previousEndsAt: timeOrNull('When the old secret stops signing. `null`: it already has.'),
  },
  { ...named('RotatedSecret'), description: 'A new signing secret.' },
);

const showSchema = adminSchema({
  operationId: 'showWebhookSecret',
  tag,
  summary: 'Show the signing secret',
  description: 'Shows the signing secret of an endpoint again. Tokens are refused.',
  role: 'admin',
  person: true,
  params: EndpointParams,
  querystring,
  body: PasswordProof,
  answer: {
    description: 'The secret.',
    schema: Secrets,
    example: { id: EXAMPLE_ENDPOINT.id, secret: EXAMPLE_SECRET, previous: [] },
  },
  errors: ['not_found'],
  special: {
    ...NO_ENDPOINT,
    ...DAMAGED_ENDPOINT,
    forbidden: {
      when: 'The role is not sufficient, or the password is wrong.',
      message: 'password: is incorrect',
    },
  },
});

const rotateSchema = adminSchema({
  operationId: 'rotateWebhookSecret',
  tag,
  summary: 'Rotate the signing secret',
  description: 'Creates a new signing secret. Deliveries carry both signatures during the overlap.',
  role: 'admin',
  params: EndpointParams,
  querystring,
  body: Rotation,
  answer: {
    description: 'The new secret.',
    schema: RotatedSecret,
    example: {
      id: EXAMPLE_ENDPOINT.id,
      secret: EXAMPLE_SECRET,
      previousEndsAt: '2026-11-15T10:30:00.000Z',
    },
  },
  errors: ['not_found'],
  special: { ...NO_ENDPOINT, ...DAMAGED_ENDPOINT },
});

export function registerSecrets(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/webhooks/:endpointId';
  app.post(`${path}/secret`, { schema: showSchema }, async (request) => {
    const endpoint = await requireEndpoint(parts, request);
    await requirePassword(parts, personOf(request).actor, request.body.password);
    return presentRevealedSecret(await revealSecret(domainFor(parts, request), endpoint.id));
  });

  app.post(`${path}/rotate`, { schema: rotateSchema }, async (request) => {
    const endpoint = await requireEndpoint(parts, request);
    const { overlapMs = DEFAULT_OVERLAP_MS } = request.body;
    return presentRotatedSecret(
      await rotateEndpointSecret(domainFor(parts, request), endpoint.id, overlapMs),
    );
  });
}
