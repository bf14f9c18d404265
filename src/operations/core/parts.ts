import type { AnyFinding } from '../../installation/health.ts';
import type { OwnCommands } from '../../installation/own-commands.ts';
import type { DkimKey } from '../../lib/dkim-key.ts';
import type { FewAtOnce } from '../../lib/few-at-once.ts';
import type { OpenDns } from '../../mail/sender/dns.ts';
import type { OperatorContext } from '../../operators/context.ts';
import type { RecordReading } from '../../operators/recorded-reads.ts';
import type { Refusals } from '../../waitlist/forms/refusals.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Guard } from '../../webhooks/guard.ts';

export interface EmailParts {
  /** The default sender, and whether there is a mail server. */
  from: string;
  smtp: boolean;
  dkim?: DkimKey | undefined;
  bounceAddress?: string | undefined;
}

/** What operations work with, whoever calls them. */
export interface OperationParts {
  /** The domain. A call has its own, which audits what it changes. */
  waitlists: Context;
  /** The accounts of operators. */
  context: OperatorContext;
  publicUrl: string;
  emails: EmailParts;
  commands: OwnCommands;
  /** To check the records of senders. */
  openDns: OpenDns;
  /** Everything that is known about the installation. */
  checkHealth: () => Promise<AnyFinding[]>;
  /** Waits for the turn of the caller to get a page. */
  pageTurn: FewAtOnce;
  /** The same for a step of a search through everybody. */
  searchTurn: FewAtOnce;
  /** Lets other work go first. */
  makeWay: () => Promise<void>;
  /** Decides where webhooks may be sent. */
  guard: Guard;
  /** Keeps a record of who reads personal data. */
  recordReading: RecordReading;
  /** What forms turned away, and is not written yet. */
  refusals: Pick<Refusals, 'write'>;
}
