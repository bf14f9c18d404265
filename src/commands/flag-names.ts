import type { Flag } from './command.ts';

/** The domain names fields as the API does, such as `referralCap`. Here they are flags: `--referral-cap`. */
export function withFlagNames(message: string, flags: Record<string, Flag> = {}): string {
  const byField = new Map(
    Object.entries(flags).map(([name, { field = inCamelCase(name) }]) => [field, `--${name}`]),
  );
  return message.replace(/(^|; )([A-Za-z.]+)(?=: )/g, (whole, before: string, field: string) => {
    const flag = byField.get(field);
    return flag === undefined ? whole : before + flag;
  });
}

function inCamelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
