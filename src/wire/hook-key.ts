import Type from 'typebox';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { HookKeySummary } from '../waitlist/keys/hook-keys.ts';
import { idPattern, time, timeOrNull } from './schema.ts';

export function hookKeyProperties(idPrefix: 'gat' | 'mek', called: string) {
  return {
    id: Type.String({ ...idPattern(idPrefix), description: `Unique id of the ${called}.` }),
    hint: Type.String({ description: 'Last four characters of the key.' }),
    name: Type.String({ description: 'What operators call it. Empty if it has no name.' }),
    signed: Type.Boolean({
      description: 'Whether it has a signing secret. If so, it takes only requests that are signed with it.',
    }),
    createdAt: time('When the key was created.'),
    lastUsedAt: timeOrNull('When the key was last used, to the minute.'),
  };
}

export function presentHookKey(key: HookKeySummary) {
  const { id, hint, name, signed, createdAt, lastUsedAt } = key;
  return {
    id,
    hint,
    name,
    signed,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
  };
}
