/**
 * The forms of a text by number. `#` stands for the number. `zero`, where given, is for 0 in every language;
 * languages without plurals need only `other`.
 */
export type Plurals = { readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string };

export interface Formats {
  number(value: number): string;
  /** Day and time in UTC. */
  date(time: number): string;
  /** A text that contains a number, in the form that the number takes. */
  count(forms: Plurals): (value: number) => string;
}

export function formatsOf(locale: string): Formats {
  const formatters = onFirstUse(() => ({
    numbers: new Intl.NumberFormat(locale),
    dates: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
    rules: new Intl.PluralRules(locale),
  }));
  const number = (value: number) => formatters().numbers.format(value);
  return {
    number,
    date: (time) => `${formatters().dates.format(time)} UTC`,
    count: (forms) => (value) => {
      const form = value === 0 && forms.zero ? 'zero' : formatters().rules.select(value);
      return (forms[form] ?? forms.other).replace('#', () => number(value));
    },
  };
}

/** Those of all languages would take every command 50 ms. */
function onFirstUse<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}
