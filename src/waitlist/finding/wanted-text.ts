import { foldedForm } from '../../lib/text.ts';
import type { Person } from '../people/person.ts';

/** Whether a person is meant. */
export type IsWanted = (person: Person) => boolean;

/** Digits as people write phone numbers: with spaces and marks between them. */
const PHONE_LIKE = /^[+(\d][\d\s()./\u2010-\u2015-]*$/;
const DIGITS_MIN = 2;
/** A national number begins with a 0 that its international form lacks. With fewer digits, it can be the end of one. */
const NATIONAL_MIN = 7;

/**
 * Tells whether every word of a text occurs in a person's email, phone number, metadata or imported code, in any
 * of them, whatever the case and accents. Digits also occur in a phone number that is written in another way.
 */
export function wantedBy(text: string): IsWanted {
  const words = foldedForm(text).split(/\s+/).map(bareWord).filter(Boolean);
  const digits = PHONE_LIKE.test(text) ? digitsOf(text) : '';
  const isPhone = digits.length >= DIGITS_MIN ? phoneTest(digits) : undefined;
  return (person) => {
    const values = [person.email, person.phone, person.importedCode].filter((value) => value != null);
    addLeaves(person.metadata, values);
    if (isPhone && values.some((value) => PHONE_LIKE.test(value) && isPhone(digitsOf(value)))) return true;
    const folded = values.map(foldedForm);
    return words.every((word) => folded.some((value) => value.includes(word)));
  };
}

function phoneTest(digits: string): (phone: string) => boolean {
  const national = digits.length >= NATIONAL_MIN ? digits.replace(/^0+/, '') : digits;
  return (phone) => phone.includes(digits) || (national !== digits && phone.endsWith(national));
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Without the brackets and commas around an address that was copied. */
function bareWord(word: string): string {
  return word.replace(/^[<("']+|[>)"',;]+$/g, '');
}

/** The texts and numbers of metadata, however deep. */
function addLeaves(value: unknown, to: string[]): void {
  if (typeof value === 'string') to.push(value);
  else if (typeof value === 'number' || typeof value === 'boolean') to.push(String(value));
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addLeaves(inner, to);
}
