import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { number } from '../../ui/number.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { AboutEntry } from './about-entry.ts';
import { Copied, Fact } from './entry-facts.tsx';

/** The link that a person shares, and which other codes count for them. */
export function EntryShare({ scope, entry }: AboutEntry) {
  const { waitlistId, environment } = scope;
  const { data, isError } = useQuery({
    queryKey: [...peopleKey(scope), 'share', entry.id],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/share', {
          params: { path: { waitlistId, entryId: entry.id }, query: { environment } },
        }),
      ),
  });
  if (isError) return <Fact label="Share link">Could not be loaded.</Fact>;
  if (!data)
    return (
      <Fact label="Share link">
        <Skeleton className="h-3.5 w-3/5" />
      </Fact>
    );
  const { shareUrl, byForm, importedCode, otherCodes } = data;
  return (
    <>
      <Fact label="Share link">
        <span className="flex min-w-0 flex-col">
          <span className="flex min-h-8 min-w-0 items-center gap-1">
            {shareUrl === null ? (
              <span className="text-mute">None: the form is off, and there is no referral URL.</span>
            ) : (
              <>
                <span className="min-w-0 font-mono text-sm break-all">{shareUrl}</span>
                <CopyButton text={shareUrl} what="share link" size="sm" />
              </>
            )}
          </span>
          {byForm && (
            <span className="pb-1 text-sm text-mute">
              After they joined, the form showed a link with a longer code, which is another one at each
              visit. It counts for them, too.
            </span>
          )}
        </span>
      </Fact>
      {importedCode !== null && (
        <Fact label="Imported code">
          <Copied text={importedCode} what="imported code" mono />
        </Fact>
      )}
      {otherCodes > 0 && (
        <Fact label={importedCode === null ? 'Imported code' : 'More codes'}>
          <span className="text-mute">
            {otherCodes === 1 ? '1 code' : `${number(otherCodes)} codes`}, stored only as a hash.
          </span>
        </Fact>
      )}
    </>
  );
}
