import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { MailFrame } from '../../ui/mail-frame.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Scrollable } from '../../ui/scrollable.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { useSettled } from '../../ui/use-settled.ts';

const WIDTH = 400;

interface Previewed {
  scope: Scope;
  draft: Schemas['FormDraft'];
  /** Saved on its own, so not part of the draft. */
  logoUrl: string | null;
}

/** The hosted page as the draft makes it, a moment after the last key. `good` is the last one that could be made. */
export function useFormPreview({ scope, draft, logoUrl }: Previewed) {
  const { waitlistId, environment } = scope;
  const shown = useSettled(JSON.stringify(draft));
  const preview = useQuery({
    queryKey: ['form-preview', waitlistId, environment, shown, logoUrl],
    queryFn: () =>
      call(
        api.POST('/admin/v1/waitlists/{waitlistId}/form/preview', {
          params: { path: { waitlistId }, query: { environment } },
          body: JSON.parse(shown),
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const [good, setGood] = useState<Schemas['FormPreview']>();
  useEffect(() => {
    if (preview.data) setGood(preview.data);
  }, [preview.data]);
  return { preview, good };
}

export function FormPreview({ preview, good }: ReturnType<typeof useFormPreview>) {
  return (
    <Card
      flush
      title="Preview"
      about={
        preview.isError && good ? 'As it was before the last change.' : 'The hosted page, as people see it.'
      }
      className="lg:sticky lg:top-6"
    >
      <QueryProblem query={{ ...preview, data: good }}>
        {good === undefined ? (
          <SkeletonRows rows={6} />
        ) : (
          <Scrollable
            label="Preview"
            className="max-h-[75dvh] overflow-x-hidden overflow-y-auto rounded-b-lg bg-sunken"
          >
            <div className={cx('transition-opacity', preview.isError && 'opacity-50')}>
              <MailFrame html={good.html} title="Preview of the form" width={WIDTH} fit="adapt" />
            </div>
          </Scrollable>
        )}
      </QueryProblem>
    </Card>
  );
}
