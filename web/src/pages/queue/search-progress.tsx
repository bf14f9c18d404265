import { ApiError } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import { Button } from '../../ui/button.tsx';
import { number } from '../../ui/number.ts';
import { Progress } from '../../ui/progress.tsx';
import type { SearchRows } from './use-search-rows.ts';

/** How far a search has looked, and a way to stop it or to go on. */
export function SearchProgress({ search }: { search: SearchRows }) {
  const { state, looked, total, error, stop, goOn } = search;
  const isLooking = state === 'looking';
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
        {/* Numbers that move are not read out. */}
        <p role={isLooking ? undefined : 'status'} className="min-w-0 text-mute tabular-nums">
          {wordsFor(search)}
        </p>
        {isLooking && (
          <Button size="sm" onClick={stop}>
            Stop
          </Button>
        )}
        {(state === 'stopped' || state === 'paused') && (
          <Button size="sm" onClick={goOn}>
            Go on
          </Button>
        )}
      </div>
      {isLooking && (
        <Progress
          label="People looked at"
          value={total === 0 ? null : looked}
          max={total === 0 ? null : total}
        />
      )}
      {state === 'failed' && error && (
        <p role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-danger">
          {ApiError.from(error).sentence}
          <Button size="sm" onClick={goOn}>
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}

function wordsFor({ state, looked, total, unreadable, rows }: SearchRows): string {
  const soFar = `${number(looked)} of ${number(total)}`;
  if (state === 'looking')
    return total === 0 ? 'Looking through names and answers…' : `Looking through names and answers… ${soFar}`;
  if (state === 'stopped') return `Stopped after ${soFar} people.`;
  if (state === 'paused') return `${people(rows.loaded.length)} found in the first ${soFar}.`;
  if (state === 'failed') return `Looked at ${soFar} people.`;
  if (looked === 0 && total > 0) return 'An id or a link says exactly who it is.';
  const skipped = unreadable === 0 ? '' : ` ${number(unreadable)} could not be decrypted.`;
  return `Looked at ${total === 1 ? '1 person' : `all ${people(total)}`}.${skipped}`;
}
