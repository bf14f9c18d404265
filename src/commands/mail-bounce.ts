import { readFile } from 'node:fs/promises';
import { invalid } from '../lib/errors.ts';
import { readBounceMessage } from '../mail/bounce-message.ts';
import { recordMailEvents } from '../waitlist/mail-events/record-mail-events.ts';
import { type Command, UsageProblem } from './command.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

/** A report has the headers of the email, or all of it. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

export const mailBounce: Command[] = [
  {
    name: 'mail bounce',
    about: 'Read a bounce message (RFC 3464) from standard input or a file, and suppress the address.',
    operands: ['[FILE]'],
    flags: QUEUE_FLAGS,
    run: async (context, [file], flags) => {
      const queue = await queueOf(context, flags);
      const events = readBounceMessage(await readMessage(file));
      if (!events)
        throw invalid('message: is not a delivery status notification (multipart/report, RFC 3464)');
      const accepted = await recordMailEvents(context, queue, events);
      const permanent = events.filter((event) => event.permanent).length;
      const text =
        accepted === 0
          ? 'Nothing to record: the message reports no failed delivery.'
          : `Recorded ${accepted} ${accepted === 1 ? 'bounce' : 'bounces'}, ${permanent} permanent.`;
      return { json: { accepted, permanent }, text };
    },
  },
];

async function readMessage(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new UsageProblem(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  if (process.stdin.isTTY) throw new UsageProblem('pipe a bounce message in, or name its file');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MESSAGE_BYTES_MAX) throw invalid('message: is larger than 32 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
