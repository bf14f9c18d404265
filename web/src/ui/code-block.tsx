import { Fragment, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { cx } from './cx.ts';
import { Scrollable } from './scrollable.tsx';

export interface Snippet {
  /** Such as "curl". */
  language: string;
  code: string;
}

/** One line is read at once if it wraps. Lines of a program keep their shape. */
const isCommand = (code: string) => !code.includes('\n');

const CHOSEN = 'doorlist.language';

/** Code to copy, in one or several languages. The choice of language is remembered. */
export function CodeBlock({ snippets, label = 'Code' }: { snippets: readonly Snippet[]; label?: string }) {
  const [language, setLanguage] = useState(() => localStorage.getItem(CHOSEN) ?? '');
  const shown = snippets.find((each) => each.language === language) ?? snippets[0];
  if (!shown) return null;
  const choose = (next: string) => {
    setLanguage(next);
    localStorage.setItem(CHOSEN, next);
  };
  return (
    <div className="overflow-hidden rounded-lg bg-sunken ring-1 ring-line">
      <div className="flex h-10 items-center gap-1 border-b pr-1 pl-2">
        <div className="scrollbar-none flex min-w-0 flex-1 items-center gap-1 overflow-x-auto p-px">
          {snippets.map((each) =>
            snippets.length === 1 ? (
              <span key={each.language} className="px-2 text-sm text-mute">
                {each.language}
              </span>
            ) : (
              <button
                key={each.language}
                type="button"
                aria-pressed={each === shown}
                onClick={() => choose(each.language)}
                className={cx(
                  'h-7 shrink-0 rounded-sm px-2 text-sm outline-offset-[-2px]',
                  each === shown
                    ? 'bg-surface font-medium text-ink ring-1 ring-line'
                    : 'text-mute hover:text-ink',
                )}
              >
                {each.language}
              </button>
            ),
          )}
        </div>
        <CopyButton text={shown.code} what="code" size="sm" />
      </div>
      <Scrollable label={label} className="scroll-shadows-sideways overflow-x-auto">
        <pre
          className={cx(
            'p-4 font-mono text-sm leading-relaxed',
            isCommand(shown.code) && 'break-words whitespace-pre-wrap',
          )}
        >
          <code>{isCommand(shown.code) ? <Command text={shown.code} /> : shown.code}</code>
        </pre>
      </Scrollable>
    </div>
  );
}

/** Wraps between words only: browsers would also break the hyphens of a flag. */
function Command({ text }: { text: string }) {
  return text.split(' ').map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words can repeat, and never move.
    <Fragment key={index}>
      {index > 0 && ' '}
      <span className="inline-block max-w-full">{word}</span>
    </Fragment>
  ));
}
