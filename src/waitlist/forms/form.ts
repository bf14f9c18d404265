import type { Database } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { withDefaults } from '../../lib/setting.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import type { Context } from '../queue/context.ts';
import { type Queue, TAG_CHARACTERS } from '../queue/queue.ts';
import { FORM_SETTINGS, type FormSettings } from './form-settings.ts';

const NO_FORM: FormSettings = withDefaults(FORM_SETTINGS);

export interface Form {
  queue: Queue;
  /** null until the form is first configured. */
  key: string | null;
  enabled: boolean;
  settings: FormSettings;
  /** Opens the CAPTCHA's secret. */
  captchaSecret(): string | null;
}

/** A form that is switched on, with its key. */
export interface LiveForm extends Form {
  key: string;
}

/** Begins with the tag of its queue. */
const FORM_KEY = /^dlf_[0-9A-Za-z]{34}$/;
const TAG_AT = 'dlf_'.length;

/** By its public key. Forms that are switched off are not found. */
export async function findForm(context: Context, key: string): Promise<LiveForm | undefined> {
  if (!FORM_KEY.test(key)) return undefined;
  const { registry } = context;
  const row = await registry.cached('form', key, () => findRow(context, key));
  const queue = row?.enabled === 1 ? await registry.queueById(row.queue_id) : undefined;
  return row && queue && { ...toForm(queue, row), key: row.form_key };
}

async function findRow({ db, registry }: Context, key: string) {
  const queue = await registry.queueByTag(key.slice(TAG_AT, TAG_AT + TAG_CHARACTERS));
  if (!queue) return undefined;
  return selectForms(db).where('queue_id', '=', queue.id).where('form_key', '=', key).executeTakeFirst();
}

export async function formOf({ db }: Context, queue: Queue): Promise<Form> {
  return toForm(queue, await selectForms(db).where('queue_id', '=', queue.id).executeTakeFirst());
}

function selectForms(db: Database) {
  return db.query
    .selectFrom('form')
    .select(['queue_id', 'form_key', 'enabled', 'settings', 'captcha_secret']);
}

/** As it is stored. */
type FormRow = Pick<Tables['form'], 'queue_id' | 'form_key' | 'enabled' | 'settings' | 'captcha_secret'>;

const parsed = new WeakMap<FormRow, FormSettings>();

export function toForm(queue: Queue, row: FormRow | undefined): Form {
  if (!row) return { queue, key: null, enabled: false, settings: NO_FORM, captchaSecret: () => null };
  let settings = parsed.get(row);
  if (!settings) {
    settings = { ...NO_FORM, ...storedJson<FormSettings>(row.settings) };
    parsed.set(row, settings);
  }
  const sealed = row.captcha_secret;
  return {
    queue,
    key: row.form_key,
    enabled: row.enabled === 1,
    settings,
    captchaSecret: () => sealed && openSecret(queue, sealed),
  };
}

const SECRET_ROW = Buffer.from('form');

export function sealSecret({ vault }: Queue, secret: string): Buffer {
  return vault.seal('form.captcha_secret', SECRET_ROW, secret);
}

function openSecret({ vault }: Queue, sealed: Uint8Array): string | null {
  return ifReadable(() => vault.open<string>('form.captcha_secret', SECRET_ROW, sealed)) ?? null;
}
