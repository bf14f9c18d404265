import { readFile } from 'node:fs/promises';
import { invalid } from '../lib/errors.ts';
import { type NothingToRecord, readMailReport } from '../mail/read-mail-report.ts';
import { recordMailEvents } from '../waitlist/mail-events/record-mail-events.ts';
import { type Command, textOr, UsageProblem } from './command.ts';
import { queueOf } from './queue.ts';

/** A report has the headers of the email, or all of it. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

const NOTHING: Record<NothingToRecord, string> = {
  'no failure': 'the message reports no failed delivery.',
  'no complaint': 'the report is not a complaint.',
  'automatic reply': 'the message is an automatic reply.',
  'email gone': 'the email that the message is about was deleted, or its recipient was erased.',
};

export const mailBounce: Command[] = [
  {
    name: 'mail bounce',
    about:
      'Read a bounce (RFC 3464) or complaint (RFC 5965) from standard input or a file, and suppress the address.',
    operands: ['[FILE]'],
    flags: {
      recipient: {
        value: 'ADDRESS',
        about: 'Address that the message was sent to (default: from its header).',
      },
      waitlist: {
        value: 'WAITLIST_ID',
        about: 'Trust the addresses in messages that name no email of ours.',
      },
      env: { value: 'ENVIRONMENT', about: 'Environment of that waitlist (default: production).' },
    },
    run: async (context, [file], flags) => {
      const queue = flags.waitlist === undefined ? undefined : await queueOf(context, flags);
      const recipient = textOr(flags, 'recipient', undefined);
      const report = await readMailReport(context, await readMessage(file), { recipient, queue });
      if (typeof report === 'string')
        return {
          json: { accepted: 0, permanent: 0, complaints: 0 },
          text: `Nothing to record: ${NOTHING[report]}`,
        };
      const accepted = await recordMailEvents(context, report.queue, report.events);
      const complaints = report.events.filter(({ type }) => type === 'complaint').length;
      const permanent = report.events.filter((event) => event.permanent).length;
      return {
        json: { accepted, permanent, complaints },
        text: inWords(accepted, permanent, complaints > 0),
      };
    },
  },
];

function inWords(accepted: number, permanent: number, isComplaint: boolean): string {
  if (accepted === 0) return 'Nothing to record: the message names no recipient.';
  if (isComplaint) return `Recorded ${accepted} ${accepted === 1 ? 'complaint' : 'complaints'}.`;
  return `Recorded ${accepted} ${accepted === 1 ? 'bounce' : 'bounces'}, ${permanent} permanent.`;
}

async function readMessage(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new UsageProblem(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  if (process.stdin.isTTY) throw new UsageProblem('pipe a message in, or name its file');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MESSAGE_BYTES_MAX) throw invalid('message: is larger than 32 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
