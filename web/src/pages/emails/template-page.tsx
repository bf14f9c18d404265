import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { MailKind } from '../../api/mail-choices.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Skeleton, SkeletonField, SkeletonRows } from '../../ui/skeleton.tsx';
import { kindName } from './mail-names.ts';
import { templateQuery } from './mails.ts';
import { TemplateEditor } from './template-editor.tsx';

/** The text of one kind of email, beside how it looks. */
export function TemplatePage() {
  const scope = useScope();
  const { kind } = useParams({ from: '/shell/waitlists/$waitlistId/emails/$kind' });
  // While it is edited, nobody replaces the text under the cursor.
  const { language } = useSearch({ from: '/shell/waitlists/$waitlistId/emails/$kind' });
  const query = useQuery({
    ...templateQuery(scope, kind as MailKind, language),
    refetchOnWindowFocus: false,
  });
  return (
    <>
      <Link
        to="/waitlists/$waitlistId/emails"
        params={{ waitlistId: scope.waitlistId }}
        search={environmentSearch(scope.environment)}
        className="-mb-3 flex items-center gap-1.5 self-start rounded-sm text-sm text-mute hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden />
        Emails
      </Link>
      {!query.data && (
        <PageHeader
          title={kindName(kind)}
          about={!query.isError && <Skeleton className="my-1 h-3.5 w-64" />}
          actions={!query.isError && <Skeleton className="h-9 w-44 rounded-md" />}
        />
      )}
      <QueryProblem framed query={query}>
        {query.data ? (
          <TemplateEditor
            key={`${scope.waitlistId} ${kind} ${query.data.language}`}
            scope={scope}
            template={query.data}
          />
        ) : (
          <div className="grid items-start gap-6 lg:grid-cols-2">
            <Card>
              <div role="status" aria-label="Loading" className="flex flex-col gap-5">
                <SkeletonField />
                <SkeletonField className="h-88" />
              </div>
            </Card>
            <Card flush title="Preview" about="With example values. Links do nothing here.">
              <SkeletonRows rows={8} />
            </Card>
          </div>
        )}
      </QueryProblem>
    </>
  );
}
