import type { Notice } from '../../operators/notices.ts';

/** What a mail is rendered from. It never changes, so every attempt sends the same bytes. */
export interface StoredOperatorMail {
  to: string;
  at: number;
  notice: Notice;
}

export const KIND_PREFIX = 'operator-email.';
