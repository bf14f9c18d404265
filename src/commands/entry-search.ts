import { searchEntries } from '../operations/entries/search-entries.ts';
import { COMMAND_LINE } from '../operators/roles.ts';
import type { PresentedEntry } from '../wire/entry.ts';
import { type Command, type Outcome, requireText, textOr } from './command.ts';
import { entryTable } from './entries.ts';
import { progressLine } from './progress.ts';
import { QUEUE_FLAGS } from './queue.ts';

interface SearchPage {
  entries: PresentedEntry[];
  looked: number;
  unreadable: number;
  total: number;
  nextCursor: string | null;
}

/** As shells say it of a command that was interrupted. */
const INTERRUPTED = 130;

export const entrySearch: Command[] = [
  {
    name: 'entry search',
    operations: [searchEntries.id],
    about:
      'Find people by a part of their email, name, phone number or metadata, or by a link that they have.',
    operands: ['TEXT'],
    flags: QUEUE_FLAGS,
    run: async (context, [q = ''], flags, config) => {
      const { checkInput } = await import('../operations/core/input.ts');
      const { openOperationParts } = await import('../operations/core/open-parts.ts');
      const { perform } = await import('../operations/core/perform.ts');
      const parts = await openOperationParts(context, config);
      const stopping = new AbortController();
      const stop = () => stopping.abort();
      process.once('SIGINT', stop); // What was found so far is worth printing.
      const found: PresentedEntry[] = [];
      try {
        for (let cursor: string | undefined; ; ) {
          const input = {
            params: { waitlistId: requireText(flags, 'waitlist') },
            query: {
              ...{ environment: textOr(flags, 'env', undefined), q },
              ...(cursor === undefined ? {} : { cursor }),
            },
            body: undefined,
            isOver: () => stopping.signal.aborted,
          };
          checkInput(searchEntries, input);
          const page = (await perform(searchEntries, parts, COMMAND_LINE, input)).value as SearchPage;
          found.push(...page.entries);
          if (page.nextCursor === null || stopping.signal.aborted) return outcomeOf(found, page);
          progressLine(`${wordsFor(page)}: ${found.length} found. Ctrl-C stops.`);
          cursor = page.nextCursor;
        }
      } finally {
        process.removeListener('SIGINT', stop);
        progressLine('');
      }
    },
  },
];

function outcomeOf(entries: PresentedEntry[], page: SearchPage): Outcome {
  const { looked, unreadable, total, nextCursor } = page;
  const isWhole = nextCursor === null;
  const json = { entries, looked, unreadable, total, complete: isWhole };
  const list = entries.length === 0 ? 'Nobody was found.' : entryTable(entries);
  const lines = [
    list,
    ...(isWhole ? [] : [`Stopped early. ${wordsFor(page)}.`]),
    ...(unreadable === 0 ? [] : [`${unreadable} could not be decrypted. Run doctor.`]),
  ];
  return { json, text: lines.join('\n\n'), ...(isWhole ? {} : { exitCode: INTERRUPTED }) };
}

function wordsFor({ looked, total }: SearchPage): string {
  return `Looked at ${looked.toLocaleString('en')} of ${total.toLocaleString('en')} people`;
}
