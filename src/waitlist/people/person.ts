import type { Metadata } from './metadata.ts';

/** What is known of a person: sealed as one value, in the row of the entry. */
export interface Person {
  email: string | null;
  phone: string | null;
  metadata: Metadata | null;
}
