import type { Database } from '../db/database.ts';
import { DoorlistError, invalid } from '../lib/errors.ts';
import { changeSettings } from '../waitlist/queue/change-settings.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Registry } from '../waitlist/queue/registry.ts';
import { type Actor, mayActAs, type Role } from './roles.ts';

/** What support does unless the owner has turned it off, in words that follow "may". */
export const DUTY_WORDS = {
  move: 'move people in the queue',
  remove: 'remove people',
  restore: 'put removed people back',
  resend: 'send emails and invites again',
  confirm: "confirm people's emails",
  decline: 'approve and decline people',
  repair: 'correct what is stored about people',
} as const;
export type Duty = keyof typeof DUTY_WORDS;
export const DUTIES = Object.keys(DUTY_WORDS) as Duty[];

/** Who may do something. */
export interface Access {
  /** The lowest role that always may. */
  role: Role;
  /** Support may, too, while it has this duty: for all of it, or for some fields of the body. */
  support?: Duty | Readonly<Record<string, Duty>>;
}

export type DutiesOfSupport = Record<Duty, boolean>;

export async function readDuties(query: Database['query']): Promise<DutiesOfSupport> {
  const { support_off: off } = await query
    .selectFrom('instance')
    .select('support_off')
    .executeTakeFirstOrThrow();
  const turnedOff = new Set(off.split(','));
  return Object.fromEntries(DUTIES.map((duty) => [duty, !turnedOff.has(duty)])) as DutiesOfSupport;
}

/** Only the owner does this. */
export async function updateDuties(
  context: Context,
  changes: Partial<DutiesOfSupport>,
): Promise<DutiesOfSupport> {
  const changed = DUTIES.filter((duty) => changes[duty] !== undefined);
  if (changed.length === 0) throw invalid('support: names nothing to change');
  return changeSettings(context, async (trx) => {
    const before = await readDuties(trx);
    const after = { ...before, ...changes };
    const off = DUTIES.filter((duty) => !after[duty]).join(',');
    await trx.updateTable('instance').set({ support_off: off }).execute();
    await context.audit?.(trx, {
      action: 'instance.updated',
      object: { kind: 'instance', id: 'instance' },
      before: shown(before),
      after: shown(after),
    });
    return after;
  });
}

function shown(duties: DutiesOfSupport): Record<string, unknown> {
  return { supportMay: DUTIES.filter((duty) => duties[duty]) };
}

interface Settings {
  db: Database;
  registry: Registry;
}

/** What somebody with this role may do of all duties. Costs no read while nobody changes settings. */
export async function dutiesOf({ db, registry }: Settings, role: Role): Promise<readonly Duty[]> {
  if (mayActAs(role, 'admin')) return DUTIES;
  if (role !== 'support') return [];
  const duties = await registry.cached('duties', 'support', () => readDuties(db.query));
  return DUTIES.filter((duty) => duties?.[duty]);
}

/** Throws if nothing of it is for this role. `requireFields` says the same of each field. */
export async function requireAccess(settings: Settings, { role }: Actor, access: Access): Promise<void> {
  const { role: needed, support } = access;
  if (mayActAs(role, needed)) return;
  const may = support === undefined ? [] : await dutiesOf(settings, role);
  const asked = typeof support === 'string' ? [support] : Object.values(support ?? {});
  if (asked.some((duty) => may.includes(duty))) return;
  throw new DoorlistError('forbidden', `this requires the ${needed} role${reasonFor(role, asked)}`);
}

/** Where duties differ by field: throws for what the caller may not change. */
export async function requireFields(
  settings: Settings,
  { role }: Actor,
  { role: needed, support }: Access,
  body: unknown,
): Promise<void> {
  if (typeof support !== 'object' || mayActAs(role, needed)) return;
  const may = await dutiesOf(settings, role);
  for (const field of Object.keys(body ?? {})) {
    const duty = support[field];
    if (duty !== undefined && may.includes(duty)) continue;
    const reason = reasonFor(role, duty === undefined ? [] : [duty]);
    throw new DoorlistError('forbidden', `${field}: changing it requires the ${needed} role${reason}`);
  }
}

function reasonFor(role: Role, [duty, ...others]: readonly Duty[]): string {
  if (role !== 'support' || duty === undefined || others.length > 0) return '';
  return `: the owner does not let support ${DUTY_WORDS[duty]}`;
}
