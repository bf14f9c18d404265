import Type from 'typebox';
import { sharedNow } from '../../db/shared-clock.ts';
import { invalid } from '../../lib/errors.ts';
import { DAY_MS, isoTime } from '../../lib/time.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import {
  listBlockedOrigins,
  listRefusals,
  REFUSAL_REASONS,
  type RefusalSlot,
} from '../../waitlist/forms/refusals.ts';
import { rotateFormKey, updateForm } from '../../waitlist/forms/update-form.ts';
import { captchaInput, EXAMPLE_FORM, FormSchema, formProperties, presentForm } from '../../wire/form.ts';
import { named, oneOf, time, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { closed } from '../core/schemas.ts';
import { parseTime } from '../core/times.ts';

const tag = 'Form';
const scope = 'queue';
const RANGE_MS_MAX = 366 * DAY_MS;

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

const FormRefusals = Type.Object(
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

export const form = [
  operation({
    id: 'getForm',
    at: 'GET /waitlists/:waitlistId/form',
    showsSettings: true,
    tag,
    summary: 'Get the form',
    description: 'Returns the settings of the public form. It is off until you enable it.',
    role: 'viewer',
    scope,
    answer: { description: 'The form.', schema: FormSchema, example: EXAMPLE_FORM },
    run: async ({ context, parts, queue }) => presentForm(await formOf(context, queue), parts.publicUrl),
  }),
  operation({
    id: 'updateForm',
    at: 'PATCH /waitlists/:waitlistId/form',
    settings: { lock: 'installation' },
    tag,
    summary: 'Update the form',
    description: 'Changes the settings. The first change creates the key of the form.',
    role: 'admin',
    scope,
    body: FormRequest,
    answer: { description: 'The form as it is now.', schema: FormSchema, example: EXAMPLE_FORM },
    errors: {
      invalid_request: {
        message: 'allowedOrigins[0]: must be an origin such as https://example.com, without wildcards',
      },
    },
    run: async ({ context, parts, queue, body }) =>
      presentForm(await updateForm(context, queue, body), parts.publicUrl),
  }),
  operation({
    id: 'rotateFormKey',
    at: 'POST /waitlists/:waitlistId/form/rotate',
    tag,
    summary: 'Rotate the form key',
    description: 'Replaces the key. Pages with the old key stop working at once.',
    role: 'admin',
    scope,
    answer: { description: 'The form with its new key.', schema: FormSchema, example: EXAMPLE_FORM },
    errors: {
      conflict: {
        when: 'The form was never configured.',
        message: 'this waitlist has no form yet: configure it first',
      },
    },
    run: async ({ context, parts, queue }) =>
      presentForm(await rotateFormKey(context, queue), parts.publicUrl),
  }),
  operation({
    id: 'listBlockedOrigins',
    at: 'GET /waitlists/:waitlistId/form/blocked-origins',
    tag,
    summary: 'List sites that were blocked',
    description:
      'Returns sites that tried to show the form, and are not among its `allowedOrigins`. Anyone can claim to be any site, so ' +
      'allow only those that you know.',
    role: 'viewer',
    scope,
    answer: {
      description: 'The sites.',
      schema: BlockedOrigins,
      example: {
        origins: [{ origin: 'https://www.acme.example', attempts: 12, lastAt: '2026-11-15T09:30:00.000Z' }],
      },
    },
    run: async ({ context, parts, queue }) => {
      await parts.refusals.write();
      const origins = await listBlockedOrigins(context, queue);
      return { origins: origins.map(({ lastAt, ...rest }) => ({ ...rest, lastAt: isoTime(lastAt) })) };
    },
  }),
  operation({
    id: 'listFormRefusals',
    at: 'GET /waitlists/:waitlistId/form/refused',
    tag,
    summary: 'Count what was turned away',
    description:
      'Returns how many posts to the form were turned away, by reason. People who were turned away are not told why.',
    role: 'viewer',
    scope,
    query: {
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
    answer: {
      description: 'The counters.',
      schema: FormRefusals,
      example: {
        from: '2026-11-14T00:00:00.000Z',
        to: '2026-11-15T00:00:00.000Z',
        totals: { honeypot: 12 },
        series: [{ at: '2026-11-14T09:30:00.000Z', reason: 'honeypot', refused: 12 }],
      },
    },
    run: async ({ context, parts, queue, query: { from: first, to: last } }) => {
      const to = last === undefined ? (await sharedNow(context)) + 1 : parseTime(last, 'to');
      const from = first === undefined ? to - DAY_MS : parseTime(first, 'from');
      if (from >= to) throw invalid('from: must be before to');
      if (to - from > RANGE_MS_MAX) throw invalid('from: must be at most 366 days before to');
      await parts.refusals.write();
      const slots = await listRefusals(context, queue, { from, to });
      const series = slots.map(({ at, reason, refused }) => ({ at: isoTime(at), reason, refused }));
      return { from: isoTime(from), to: isoTime(to), totals: totalsOf(slots), series };
    },
  }),
];

function totalsOf(slots: readonly RefusalSlot[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { reason, refused } of slots) totals[reason] = (totals[reason] ?? 0) + refused;
  return totals;
}
