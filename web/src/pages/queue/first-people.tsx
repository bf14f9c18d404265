import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import type { Entry } from '../../api/entries.ts';
import { cx } from '../../ui/cx.ts';
import { number } from '../../ui/number.ts';
import { Scrollable } from '../../ui/scrollable.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Person } from './entry-columns.tsx';

interface Preview {
  count: number;
  preview: readonly Entry[];
}

interface FirstPeopleProps {
  title: (count: number) => string;
  /** Where there is nobody. */
  nobody: string;
  /** A line below the title. */
  about?: ReactNode;
  query: { data: Preview | undefined; error: unknown; isFetching: boolean };
}

/** Whom something would be about: how many, and the first of them. */
export function FirstPeople({ title, nobody, about, query }: FirstPeopleProps) {
  const { data, error, isFetching } = query;
  if (error)
    return (
      <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-danger">
        {ApiError.from(error).sentence}
      </p>
    );
  if (!data) return <Skeleton className="h-24 w-full" />;
  const { count, preview } = data;
  const rest = count - preview.length;
  return (
    <section
      aria-label="Whom it is about"
      aria-busy={isFetching}
      className={cx('shrink-0 overflow-hidden rounded-md ring-1 ring-line', isFetching && 'opacity-60')}
    >
      <div className="border-b bg-sunken px-4 py-2">
        <p className="font-medium" role="status">
          {title(count)}
        </p>
        {about && <p className="text-sm text-mute">{about}</p>}
      </div>
      {preview.length === 0 ? (
        <p className="px-4 py-2 text-mute">{nobody}</p>
      ) : (
        <Scrollable label="First people" className="max-h-44 overflow-y-auto">
          <ol className="divide-y">
            {preview.map((entry) => (
              <li key={entry.id} className="px-4 py-1.5">
                <Person entry={entry} />
              </li>
            ))}
            {rest > 0 && <li className="px-4 py-1.5 text-mute">and {number(rest)} more</li>}
          </ol>
        </Scrollable>
      )}
    </section>
  );
}
