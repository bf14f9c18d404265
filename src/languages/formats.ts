/**
 * The forms of a text by number. `#` stands for the number. `zero`, where given, is for 0 in every language;
 * languages without plurals need only `other`.
 */
type Plurals = { readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string };

export interface Formats {
  /** Creates what is slow to create, before a mail is rendered, which has a time limit. */
  prepare(): void;
  number(value: number): string;
  /** Day and time in UTC. Lines break neither after the day nor before the zone. */
  date(time: number): string;
  /** A text that contains a number, in the form that the number takes. */
  count(forms: Plurals): (value: number) => string;
}

/** Created when they are first used: all of them would take longer than a command that needs none. */
export function formatsOf(locale: string): Formats {
  const numbers = lazily(() => new Intl.NumberFormat(locale));
  const dates = lazily(
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
  );
  const rules = lazily(() => new Intl.PluralRules(locale));
  const number = (value: number) => numbers().format(value);
  return {
    prepare: () => void [numbers(), dates(), rules()],
    number,
    date: (time) => {
      const text = dates().format(time);
      return `${text.replace(/^(\d+\.?) /, '$1\u00a0')}\u00a0UTC`;
    },
    count: (forms) => (value) => {
      const form = value === 0 && forms.zero ? 'zero' : rules().select(value);
      return (forms[form] ?? forms.other).replace('#', () => number(value));
    },
  };
}

function lazily<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}
