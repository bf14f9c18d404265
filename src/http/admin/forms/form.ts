import Type from 'typebox';
import { sharedNow } from '../../../db/shared-clock.ts';
import { invalid } from '../../../lib/errors.ts';
import { DAY_MS, isoTime } from '../../../lib/time.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { parseTime } from '../../../operations/core/times.ts';
import { formOf } from '../../../waitlist/forms/form.ts';
import {
  listBlockedOrigins,
  listRefusals,
  REFUSAL_REASONS,
  type RefusalSlot,
} from '../../../waitlist/forms/refusals.ts';
import { type FormChanges, rotateFormKey, updateForm } from '../../../waitlist/forms/update-form.ts';
import { captchaInput, EXAMPLE_FORM, FormSchema, formProperties, presentForm } from '../../../wire/form.ts';
import { named, oneOf, time, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Form';
const RANGE_MS_MAX = 366 * DAY_MS;

const params = Type.Object(waitlistParams);
const querystring = Type.Object(environmentQuery, closed);
const noWaitlist = {
  not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
};

const FormRequest = Type.Partial(Type.Object({ ...formProperties, captcha: captchaInput }), {
  ...named('FormRequest'),
  ...closed,
  description: 'Settings to change. Omitted ones stay as they are.',
  ...withExamples({
    enable: {
      summary: 'Switch the form on for one site',
      value: { enabled: true, allowedOrigins: ['https://acme.example'] },
    },
  }),
});

const showSchema = adminSchema({
  operationId: 'getForm',
  showsSettings: true,
  tag,
  summary: 'Get the form',
  description: 'Returns the settings of the public form. It is off until you enable it.',
  role: 'viewer',
  params,
  querystring,
  answer: { description: 'The form.', schema: FormSchema, example: EXAMPLE_FORM },
  errors: ['not_found'],
  special: noWaitlist,
});

const updateSchema = adminSchema({
  operationId: 'updateForm',
  settings: { lock: 'installation' },
  tag,
  summary: 'Update the form',
  description: 'Changes the settings. The first change creates the key of the form.',
  role: 'admin',
  params,
  querystring,
  body: FormRequest,
  answer: { description: 'The form as it is now.', schema: FormSchema, example: EXAMPLE_FORM },
  errors: ['not_found'],
  special: {
    ...noWaitlist,
    invalid_request: {
      message: 'allowedOrigins[0]: must be an origin such as https://example.com, without wildcards',
    },
  },
});

const rotateSchema = adminSchema({
  operationId: 'rotateFormKey',
  write: true,
  tag,
  summary: 'Rotate the form key',
  description: 'Replaces the key. Pages with the old key stop working at once.',
  role: 'admin',
  params,
  querystring,
  answer: { description: 'The form with its new key.', schema: FormSchema, example: EXAMPLE_FORM },
  errors: ['not_found', 'conflict'],
  special: {
    ...noWaitlist,
    conflict: {
      when: 'The form was never configured.',
      message: 'this waitlist has no form yet: configure it first',
    },
  },
});

const RefusalsSchema = Type.Object(
  {
    from: time('Beginning of the period.'),
    to: time('End of the period.'),
    totals: Type.Record(Type.String(), Type.Integer(), {
      description: 'How many were turned away, by reason.',
    }),
    series: Type.Array(
      Type.Object({
        at: time('Beginning of a quarter of an hour.'),
        reason: oneOf(REFUSAL_REASONS, { description: 'Which check turned them away.' }),
        refused: Type.Integer({ description: 'How many.' }),
      }),
      { description: 'By quarter of an hour and reason, oldest first.' },
    ),
  },
  { ...named('FormRefusals'), description: 'What the form turned away.' },
);

const refusedSchema = adminSchema({
  operationId: 'listFormRefusals',
  tag,
  summary: 'Count what was turned away',
  description:
    'Returns how many posts to the form were turned away, by reason. People who were turned away are not told why.',
  role: 'viewer',
  params,
  querystring: Type.Object(
    {
      ...environmentQuery,
      from: Type.Optional(
        Type.String({
          ...WORD,
          description: 'Beginning. Default: a day before `to`.',
          examples: ['2026-11-14T00:00:00Z'],
        }),
      ),
      to: Type.Optional(
        Type.String({ ...WORD, description: 'End. Default: now.', examples: ['2026-11-15T00:00:00Z'] }),
      ),
    },
    closed,
  ),
  answer: {
    description: 'The counters.',
    schema: RefusalsSchema,
    example: {
      from: '2026-11-14T00:00:00.000Z',
      to: '2026-11-15T00:00:00.000Z',
      totals: { honeypot: 12 },
      series: [{ at: '2026-11-14T09:30:00.000Z', reason: 'honeypot', refused: 12 }],
    },
  },
  errors: ['not_found'],
  special: noWaitlist,
});

const BlockedOrigins = Type.Object(
  {
    origins: Type.Array(
      Type.Object(
        {
          origin: Type.String({ description: 'Origin of the site, as its browser sent it.' }),
          attempts: Type.Integer({ minimum: 1, description: 'How often it asked for the form.' }),
          lastAt: time('When it last did.'),
        },
        { ...named('BlockedOrigin'), description: 'A site that is not allowed to show the form.' },
      ),
      { description: 'The newest 20 of the last 30 days, newest first.' },
    ),
  },
  { ...named('BlockedOrigins'), description: 'Sites that tried to show the form.' },
);

const blockedSchema = adminSchema({
  operationId: 'listBlockedOrigins',
  tag,
  summary: 'List sites that were blocked',
  description:
    'Returns sites that tried to show the form, and are not among its `allowedOrigins`. Anyone can claim to be any site, so ' +
    'allow only those that you know.',
  role: 'viewer',
  params,
  querystring,
  answer: {
    description: 'The sites.',
    schema: BlockedOrigins,
    example: {
      origins: [{ origin: 'https://www.acme.example', attempts: 12, lastAt: '2026-11-15T09:30:00.000Z' }],
    },
  },
  errors: ['not_found'],
  special: noWaitlist,
});

export function registerForm(app: TypedApp, parts: AdminParts): void {
  const { publicUrl, waitlists } = parts;
  app.get('/waitlists/:waitlistId/form', { schema: showSchema }, async (request) => {
    const queue = await requireQueue(parts, request.params, request.query);
    return presentForm(await formOf(waitlists, queue), publicUrl);
  });

  app.patch('/waitlists/:waitlistId/form', { schema: updateSchema }, async (request) => {
    const queue = await requireQueue(parts, request.params, request.query);
    const form = await updateForm(domainFor(parts, request), queue, request.body as FormChanges);
    return presentForm(form, publicUrl);
  });

  app.post('/waitlists/:waitlistId/form/rotate', { schema: rotateSchema }, async (request) => {
    const queue = await requireQueue(parts, request.params, request.query);
    return presentForm(await rotateFormKey(domainFor(parts, request), queue), publicUrl);
  });

  app.get('/waitlists/:waitlistId/form/blocked-origins', { schema: blockedSchema }, async (request) => {
    const queue = await requireQueue(parts, request.params, request.query);
    await parts.refusals.write();
    const origins = await listBlockedOrigins(waitlists, queue);
    return { origins: origins.map(({ lastAt, ...rest }) => ({ ...rest, lastAt: isoTime(lastAt) })) };
  });

  app.get('/waitlists/:waitlistId/form/refused', { schema: refusedSchema }, async (request) => {
    const queue = await requireQueue(parts, request.params, request.query);
    const { from: first, to: last } = request.query;
    const to = last === undefined ? (await sharedNow(waitlists)) + 1 : parseTime(last, 'to');
    const from = first === undefined ? to - DAY_MS : parseTime(first, 'from');
    if (from >= to) throw invalid('from: must be before to');
    if (to - from > RANGE_MS_MAX) throw invalid('from: must be at most 366 days before to');
    await parts.refusals.write();
    const slots = await listRefusals(waitlists, queue, { from, to });
    return { from: isoTime(from), to: isoTime(to), totals: totalsOf(slots), series: slots.map(presentSlot) };
  });
}

function totalsOf(slots: readonly RefusalSlot[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { reason, refused } of slots) totals[reason] = (totals[reason] ?? 0) + refused;
  return totals;
}

function presentSlot({ at, reason, refused }: RefusalSlot) {
  return { at: isoTime(at), reason, refused };
}
