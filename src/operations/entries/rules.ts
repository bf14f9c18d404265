import Type, { type Static } from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { isoTime } from '../../lib/time.ts';
import { findCodeByIdOrText } from '../../waitlist/codes/change-codes.ts';
import {
  type Conditions,
  createRule,
  DOMAIN_CHARACTERS_MAX,
  deleteRule,
  LOOKED_MAX,
  parseDomain,
  RULE_OUTCOMES,
  RULES_MAX,
  type Rule,
  readRules,
  tryRule,
} from '../../waitlist/decisions/rules.ts';
import { SEGMENT_PAIRS_MAX } from '../../waitlist/entries/segment.ts';
import { searchEntry } from '../../waitlist/finding/search-entry.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { EXAMPLE_CODE } from '../../wire/code.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import {
  IDENTIFIER,
  idPattern,
  limits,
  named,
  oneOf,
  PAIR,
  time,
  WORD,
  withExamples,
} from '../../wire/schema.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import { recordRead } from '../core/reading.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { pairsOf } from '../core/segments.ts';

const tag = 'Entries';
const scope = 'queue';

const RuleConditions = Type.Object(
  {
    domain: Type.Optional(
      Type.String({
        ...limits({ maxLength: DOMAIN_CHARACTERS_MAX }),
        description: 'Domain of the email: `acme.com` exactly, or `*.edu` for every domain below.',
        examples: ['acme.com'],
      }),
    ),
    where: Type.Optional(
      Type.Array(Type.String({ ...PAIR, description: 'A `key=value` pair.' }), {
        ...limits({ maxItems: SEGMENT_PAIRS_MAX }),
        description: 'Metadata values that the signup must have: `key=value`.',
        examples: [['plan=pro']],
      }),
    ),
    referrer: Type.Optional(
      Type.String({
        ...IDENTIFIER,
        description:
          'Whom the signup names as its referrer: the email, phone, id or referral code of an entry, an imported code included. Shown as its id.',
        examples: [EXAMPLE_ADMIN_ENTRY.id],
      }),
    ),
    code: Type.Optional(
      Type.String({
        ...IDENTIFIER,
        description:
          'A code that puts people ahead, as its text or its id, with which the signup joins. Shown as its id.',
        examples: [EXAMPLE_CODE.id],
      }),
    ),
  },
  { ...named('RuleConditions'), ...closed, description: 'What a signup must meet: all of it, at least one.' },
);

const outcome = oneOf(RULE_OUTCOMES, {
  description: '`approve` invites, `advance` puts first in line, `decline` declines.',
});

const RuleSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('rul'), description: 'Unique id of the rule.' }),
    when: RuleConditions,
    // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
    then: outcome,
    createdAt: time('When the rule was made.'),
  },
  { ...named('Rule'), description: 'Decides about people in the moment in which they sign up.' },
);

const EXAMPLE: Static<typeof RuleSchema> = {
  id: 'rul_06gxx2p9r1yn1vp1ryss481fhw',
  when: { domain: 'acme.com' },
  // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
  then: 'approve',
  createdAt: '2026-11-15T09:30:00.000Z',
};

const Rules = Type.Object(
  {
    rules: Type.Array(RuleSchema, { maxItems: RULES_MAX, description: 'In the order in which they decide.' }),
  },
  { ...named('Rules'), description: 'The rules of a waitlist in one environment.' },
);

const RuleRequest = Type.Object(
  {
    when: RuleConditions,
    // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
    then: outcome,
    dryRun: Type.Optional(
      Type.Boolean({
        description: 'Only say whom of those who wait it would have been about. Makes no rule.',
      }),
    ),
  },
  {
    ...named('RuleRequest'),
    ...closed,
    description: 'A rule to make.',
    ...withExamples({
      // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
      domain: { summary: 'Let a company in', value: { when: { domain: 'acme.com' }, then: 'approve' } },
      // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
      dry: { summary: 'Try one', value: { when: { domain: '*.edu' }, then: 'advance', dryRun: true } },
    }),
  },
);

const RulePreview = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many of those who wait meet the conditions.' }),
    looked: Type.Integer({ minimum: 0, maximum: LOOKED_MAX, description: 'How many were looked at.' }),
    more: Type.Boolean({ description: `Whether others wait, beyond the ${LOOKED_MAX} who joined first.` }),
    preview: Type.Array(AdminEntrySchema, { maxItems: 10, description: 'The first of them.' }),
  },
  { ...named('RulePreview'), description: 'What a rule would have done.' },
);

export const rules = [
  operation({
    id: 'listRules',
    at: 'GET /waitlists/:waitlistId/rules',
    tag,
    summary: 'List rules',
    description: 'Returns the rules that decide about signups. The first that fits decides.',
    role: 'support',
    scope,
    answer: { description: 'The rules.', schema: Rules, example: { rules: [EXAMPLE] } },
    run: async ({ context, queue }) => ({
      rules: (await readRules(context.db.query, queue)).map(presentRule),
    }),
  }),
  operation({
    id: 'createRule',
    at: 'POST /waitlists/:waitlistId/rules',
    tag,
    summary: 'Make a rule',
    description:
      'From now on, signups that meet the conditions are approved, put first or declined in the same transaction. Imports are not, nor are those who wait already: ' +
      'decide about them with `decisions`. Somebody without an email is not approved. ' +
      `With \`dryRun\`, says whom of those who wait it would have been about. A waitlist has at most ${RULES_MAX} in each environment.`,
    role: 'admin',
    scope,
    takesTurns: true,
    body: RuleRequest,
    answer: { status: 201, description: 'The rule was made.', schema: RuleSchema, example: EXAMPLE },
    otherwise: {
      status: 200,
      description: 'Whom it would have been about, for `dryRun`.',
      schema: RulePreview,
      example: { count: 12, looked: 1204, more: false, preview: [EXAMPLE_ADMIN_ENTRY] },
    },
    errors: {
      invalid_request: { message: 'when.domain: must be a domain such as acme.com, or *.edu' },
      conflict: {
        when: 'There are too many rules.',
        message: `a waitlist has at most ${RULES_MAX} rules: delete one first`,
      },
    },
    run: async (call) => {
      const { context, queue, body } = call;
      const when = await conditionsOf(context, queue, body.when);
      if (body.dryRun !== true)
        return presentRule(await createRule(context, queue, { when, outcome: body.then }));
      await recordRead(call, queue);
      const { first, ...counts } = await tryRule(context, queue, when);
      return new OtherAnswer({ ...counts, preview: first.map(presentAdminEntry) });
    },
  }),
  operation({
    id: 'deleteRule',
    at: 'DELETE /waitlists/:waitlistId/rules/:ruleId',
    tag,
    summary: 'Delete a rule',
    description: 'It decides about nobody from now on. What it decided stays.',
    role: 'admin',
    scope,
    params: { ruleId: Type.String({ ...WORD, description: 'Id of the rule.', examples: [EXAMPLE.id] }) },
    answer: {
      description: 'The rule was deleted.',
      schema: Deleted,
      example: { id: EXAMPLE.id, deleted: true },
    },
    run: async ({ context, queue, params: { ruleId: id } }) => {
      await deleteRule(context, queue, id);
      return { id, deleted: true as const };
    },
  }),
];

function presentRule({ id, when, outcome, createdAt }: Rule): Static<typeof RuleSchema> {
  const { domain, pairs, referrer, code } = when;
  return {
    id,
    when: {
      ...(domain === undefined ? {} : { domain }),
      ...(pairs === undefined ? {} : { where: pairs.map(({ key, value }) => `${key}=${value}`) }),
      ...(referrer === undefined ? {} : { referrer: referrer.id }),
      ...(code === undefined ? {} : { code }),
    },
    // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
    then: outcome,
    createdAt: isoTime(createdAt),
  };
}

async function conditionsOf(
  context: Context,
  queue: Queue,
  { domain, where = [], referrer, code }: Static<typeof RuleConditions>,
): Promise<Conditions> {
  const pairs = pairsOf(where, 'when.');
  const found = referrer === undefined ? undefined : await searchEntry(context, queue, referrer);
  if (referrer !== undefined && !found) throw invalid('when.referrer: is nobody on the waitlist');
  const codeId = code === undefined ? undefined : await advancingCode(context, queue, code);
  if (domain === undefined && pairs.length === 0 && !found && codeId === undefined)
    throw invalid('when: needs at least one condition');
  return {
    ...(domain === undefined ? {} : { domain: parseDomain(domain) }),
    ...(pairs.length === 0 ? {} : { pairs }),
    ...(found ? { referrer: { id: formatId('ent', found.id), seq: found.seq } } : {}),
    ...(codeId === undefined ? {} : { code: codeId }),
  };
}

/** Its id. Whoever has a code that lets people in needs no rule. */
async function advancingCode(context: Context, queue: Queue, code: string): Promise<string> {
  const found = await findCodeByIdOrText(context, queue, code);
  if (!found) throw invalid('when.code: is no code of this waitlist');
  if (found.does !== 'advance')
    throw invalid('when.code: lets people in already; name one that puts people ahead');
  return found.id;
}
