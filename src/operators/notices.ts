import type { Trx } from '../db/database.ts';

export interface Recipient {
  /** opr_… */
  id: string;
  email: string;
}

/** What an operator is told about their account. */
export type Notice =
  | { kind: 'invitation' | 'reset'; token: string; expiresAt: number; by: string | null }
  | {
      kind: 'password-changed' | 'email-changed' | 'two-factor-off' | 'passkey-added';
      address?: string | null;
    }
  | { kind: 'new-sign-in'; address: string; agent: string }
  | ({ kind: 'health' } & HealthChange);

/** What has begun to fail, and what is well again. Both are empty in a test. */
export interface HealthChange {
  failing: readonly HealthChangeOf[];
  recovered: readonly HealthChangeOf[];
}

interface HealthChangeOf {
  check: string;
  detail: string;
}

/** Listens to changes of accounts. Passed in when the service is put together. */
export interface Notices {
  /** Runs in the transaction of the change. */
  write(trx: Trx, to: Recipient, notice: Notice, now: number): void;
  /** After the commit. */
  wake(): void;
  /** Erases everything that was written to this operator. Call the returned function after the commit. */
  erase(trx: Trx, operatorId: Uint8Array, now: number): Promise<() => Promise<void>>;
}
