import type { Trx } from '../../db/database.ts';
import { conflict, invalid } from '../../lib/errors.ts';
import { checkSettings } from '../../lib/setting.ts';
import { newSecret } from '../keys/server-key-format.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { type Form, formOf, type LiveForm, sealSecret, toForm } from './form.ts';
import { CAPTCHA_KEY_CHARACTERS_MAX, FORM_SETTINGS, type FormSettings } from './form-settings.ts';

/** Omitted settings stay as they are. */
export interface FormChanges extends Partial<Omit<FormSettings, 'captcha'>> {
  enabled?: boolean;
  /** The secret may be left out if it is stored already. */
  captcha?: (NonNullable<FormSettings['captcha']> & { secret?: string }) | null;
}

const KEY_PREFIX = 'dlf_';

/** Changes the form of a queue. The first change creates it, with its key. */
export async function updateForm(context: Context, queue: Queue, changes: FormChanges): Promise<Form> {
  if (Object.values(changes).every((value) => value === undefined))
    throw invalid('at least one setting is required');
  const { enabled, captcha, ...rest } = changes;
  const now = context.clock();
  await changeSettings(context, async (trx) => {
    const row = await readRow(trx, queue);
    const before = toForm(queue, row);
    const settings = { ...before.settings, ...rest };
    if (captcha !== undefined)
      settings.captcha = captcha && { provider: captcha.provider, siteKey: captcha.siteKey };
    checkSettings(FORM_SETTINGS, settings);
    checkConsent(before.settings, settings);
    const secret = secretFor(queue, before, settings, captcha?.secret, row?.captcha_secret ?? null);
    const values = {
      enabled: (enabled ?? before.enabled) ? 1 : 0,
      settings: JSON.stringify(settings),
      captcha_secret: secret,
      updated_at: now,
    };
    await trx
      .insertInto('form')
      .values({ queue_id: queue.id, form_key: newSecret(KEY_PREFIX, queue.tag), created_at: now, ...values })
      .onConflict((conflicting) => conflicting.column('queue_id').doUpdateSet(values))
      .execute();
    await context.audit?.(trx, {
      action: 'form.updated',
      object: { kind: 'form', id: queue.waitlist.id, name: queue.environment },
      before: { enabled: before.enabled, ...before.settings },
      after: { enabled: values.enabled === 1, ...settings },
    });
  });
  return formOf(context, queue);
}

/** The form as it would be, for a preview. A CAPTCHA would need scripts. */
export async function draftForm(
  context: Context,
  queue: Queue,
  changes: Partial<FormSettings>,
): Promise<LiveForm> {
  const form = await formOf(context, queue);
  const settings = { ...form.settings, ...changes, captcha: null };
  checkSettings(FORM_SETTINGS, settings);
  return { ...form, settings, key: form.key ?? `${KEY_PREFIX}preview` };
}

/** The old key stops working at once. */
export async function rotateFormKey(context: Context, queue: Queue): Promise<Form> {
  await changeSettings(context, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('form')
      .set({ form_key: newSecret(KEY_PREFIX, queue.tag), updated_at: context.clock() })
      .where('queue_id', '=', queue.id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw conflict('this waitlist has no form yet: configure it first');
    await context.audit?.(trx, {
      action: 'form.key_rotated',
      object: { kind: 'form', id: queue.waitlist.id, name: queue.environment },
    });
  });
  return formOf(context, queue);
}

function readRow(trx: Trx, queue: Queue) {
  return trx
    .selectFrom('form')
    .select(['queue_id', 'form_key', 'enabled', 'settings', 'captcha_secret'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirst();
}

/** A version stands for one text: entries keep only the version. */
function checkConsent({ consent: before }: FormSettings, { consent: after }: FormSettings): void {
  if (before && after && before.version === after.version && before.text !== after.text)
    throw invalid('consent.version: must change when the text changes');
}

function secretFor(
  queue: Queue,
  before: Form,
  { captcha }: FormSettings,
  secret: string | undefined,
  stored: Uint8Array | null,
): Uint8Array | null {
  if (!captcha) return null;
  if (secret === undefined) {
    if (stored && before.settings.captcha?.provider === captcha.provider) return stored;
    throw invalid('captcha.secret: is required');
  }
  if (!/^[!-~]+$/.test(secret) || secret.length > CAPTCHA_KEY_CHARACTERS_MAX)
    throw invalid('captcha.secret: must be the secret that the provider shows');
  return sealSecret(queue, secret);
}
