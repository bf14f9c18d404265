/** For `max` of a date field. Without one, browsers take years of up to six digits, which nothing else does. */
export const LAST_DAY = '9999-12-31';

/** What is wrong with the value of a date field, if anything. */
export function dayProblem(day: string): string | undefined {
  return day === '' || /^\d{4}-\d\d-\d\d$/.test(day) ? undefined : 'Enter a year of four digits.';
}
