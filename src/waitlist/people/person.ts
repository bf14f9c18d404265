import { type Language, languageOf } from '../../languages/languages.ts';
import type { Metadata } from './metadata.ts';

/** Sealed as one value in the entry's row. */
export interface Person {
  email: string | null;
  phone: string | null;
  metadata: Metadata | null;
  /** In which they signed up, if that is known. */
  language?: Language;
  /** Came through the public form, where anyone can type anyone's address. */
  byForm?: true;
  /** Their referral code in the system that they were imported from. Others had it first if it is not among the aliases. */
  importedCode?: string;
}

/** The language to write to a person in, or null if nothing says so. Backends send it as metadata. */
export function languageFor({
  language,
  metadata,
}: {
  language?: Language | null;
  metadata: Metadata | null;
}): Language | null {
  return language ?? languageOf(metadata?.language) ?? languageOf(metadata?.locale) ?? null;
}
