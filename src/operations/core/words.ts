import type { ErrorWords, Operation } from './operation.ts';

const SCOPES = {
  installation: undefined,
  environment: { name: 'environment', example: 'staging' },
  waitlist: { name: 'waitlist', example: 'wl_acme' },
  queue: { name: 'waitlist', example: 'wl_acme' },
} as const;

/** What can be missing: what it is about, and what the parameters of the path are about, such as `waveId`. */
export function missingWords({ scope, params }: Operation): ErrorWords | undefined {
  const about = SCOPES[scope] ? [SCOPES[scope]] : [];
  const named = Object.entries(params).map(thingOf);
  const last = named.at(-1) ?? about[0];
  if (!last) return undefined;
  const things = scope === 'environment' ? [...named, ...about] : [...about, ...named];
  const names = inWords(things.map(({ name }) => `the ${name}`));
  return {
    when: `${names.charAt(0).toUpperCase()}${names.slice(1)} does not exist.`,
    message: `there is no ${last.name} ${last.example}`,
  };
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** `waveId` is about a wave, `mailEventKeyId` about a mail event key. */
function thingOf([parameter, schema]: [string, { examples?: readonly unknown[] }]) {
  const name = parameter.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { name, example: String(schema.examples?.[0] ?? '') };
}
