import type { Metadata } from './metadata.ts';

/** Sealed as one value in the entry's row. */
export interface Person {
  email: string | null;
  phone: string | null;
  metadata: Metadata | null;
}
