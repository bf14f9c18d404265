import type { Selectable } from 'kysely';
import type { WaitlistTable } from '../../db/tables.ts';
import { type ColumnSetting, limits, type ValuesOf } from '../../lib/setting.ts';
import { isLine, nameProblem } from '../../lib/text.ts';
import { DAY_MS, DURATION_MAX_MS, MINUTE_MS } from '../../lib/time.ts';
import { isWhole, type WholeRange, wholeRule } from '../../lib/whole-number.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import { METADATA_KEY_CHARACTERS_MAX } from '../people/person.ts';

const NAME_CHARACTERS_MAX = 200;
/** Each key takes a chart, and time of the background work. */
const METADATA_KEYS_COUNTED_MAX = 5;

/** The settings of a waitlist, in the order of the reference. They apply in every environment. */
export const WAITLIST_SETTINGS = {
  name: setting<string, 'name'>({
    column: 'name',
    default: '',
    schema: {
      type: 'string',
      ...limits({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }),
      description: 'Display name. Shown in emails and on pages.',
      examples: ['Acme'],
    },
    check: (name, tell) => {
      const problem = nameProblem(name, { most: NAME_CHARACTERS_MAX });
      if (problem !== undefined) tell(problem);
    },
    write: (name) => name.trim(),
    read: (name) => name,
  }),
  boost: whole({
    column: 'boost',
    default: 5,
    range: { minimum: 0, maximum: 1_000 },
    description: 'How many places earlier an entry counts as having joined, for each referral.',
  }),
  referralCap: wholeOrNull({
    column: 'referral_cap',
    range: { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    rule: 'must be a whole number',
    description: 'Maximum number of referrals credited to one entry. `null`: no limit.',
  }),
  inviteExpiryMs: wholeOrNull({
    column: 'invite_expiry_ms',
    range: { minimum: 1, maximum: DURATION_MAX_MS },
    rule: 'must be longer than 0 and at most 36500 days',
    description: 'Default lifetime of invites, in milliseconds. `null`: invites do not expire.',
  }),
  returnToQueue: onOff({
    column: 'expired_stay_invited',
    default: true,
    on: 0,
    description: 'Whether an entry returns to the queue when its invite expires or is revoked.',
  }),
  confirmEmails: onOff({
    column: 'confirm_emails',
    default: false,
    on: 1,
    description: 'Double opt-in: whether an entry is `pending` until its email is confirmed.',
  }),
  metadataKeys: setting<string[], 'metadata_keys'>({
    column: 'metadata_keys',
    default: [],
    schema: {
      type: 'array',
      items: {
        type: 'string',
        ...limits({ maxLength: METADATA_KEY_CHARACTERS_MAX }),
        description: 'A metadata key.',
      },
      ...limits({ maxItems: METADATA_KEYS_COUNTED_MAX }),
      description:
        'Metadata keys whose values the statistics show. Values of existing entries are counted in the background.',
    },
    check: (keys, tell) => {
      if (keys.length > METADATA_KEYS_COUNTED_MAX)
        tell(`must have at most ${METADATA_KEYS_COUNTED_MAX} keys`);
      if (new Set(keys).size < keys.length) tell('has a key twice');
      if (keys.some((key) => key === '' || !isLine(key, METADATA_KEY_CHARACTERS_MAX)))
        tell(`each key must be 1 to ${METADATA_KEY_CHARACTERS_MAX} characters on one line`);
    },
    write: (keys) => JSON.stringify(keys),
    read: (keys) => ifReadable(() => storedJson<string[]>(keys)),
  }),
};

export type WaitlistSettings = ValuesOf<typeof WAITLIST_SETTINGS>;

/** An email setting that the queue goes by: when it notes which invites are to be reminded of. */
export const INVITE_REMINDER = whole({
  column: 'invite_reminder_ms',
  default: DAY_MS,
  range: { minimum: MINUTE_MS, maximum: DURATION_MAX_MS },
  rule: 'must be from a minute to 36500 days',
  description: 'How long before an invite expires its reminder is sent, in milliseconds.',
});

type Row = Selectable<WaitlistTable>;
/** The columns of a type. */
type ColumnOf<Stored> = {
  [Column in keyof Row]: [Row[Column], Stored] extends [Stored, Row[Column]] ? Column : never;
}[keyof Row];

/** For the compiler, which compares it with its column. */
function setting<Value, Column extends keyof Row>(
  one: ColumnSetting<Value, Column, Row[Column]>,
): ColumnSetting<Value, Column, Row[Column]> {
  return one;
}

interface WholeNumber<Column> {
  column: Column;
  range: WholeRange;
  /** Default: one that names the range. */
  rule?: string;
  description: string;
}

function whole<Column extends ColumnOf<number>>(
  one: WholeNumber<Column> & { default: number },
): ColumnSetting<number, Column, number> {
  const { range, rule = wholeRule(range), description, ...rest } = one;
  return {
    ...rest,
    schema: { type: 'integer', ...limits(range), description },
    check: (value, tell) => {
      if (!isWhole(value, range)) tell(rule);
    },
    write: (value) => value,
    read: (value) => (isWhole(value, range) ? value : undefined),
  };
}

function wholeOrNull<Column extends ColumnOf<number | null>>(
  one: WholeNumber<Column>,
): ColumnSetting<number | null, Column, number | null> {
  const { column, range, rule = wholeRule(range), description } = one;
  const isValid = (value: number | null) => value === null || isWhole(value, range);
  return {
    column,
    default: null,
    schema: { type: ['integer', 'null'], ...limits(range), description },
    check: (value, tell) => {
      if (!isValid(value)) tell(rule);
    },
    write: (value) => value,
    read: (value) => (isValid(value) ? value : undefined),
  };
}

/** `on`: what is stored for `true`. */
function onOff<Column extends ColumnOf<number>>(one: {
  column: Column;
  default: boolean;
  on: 0 | 1;
  description: string;
}): ColumnSetting<boolean, Column, number> {
  const { on, description, ...rest } = one;
  return {
    ...rest,
    schema: { type: 'boolean', description },
    write: (value) => (value ? on : 1 - on),
    read: (stored) => stored === on,
  };
}
