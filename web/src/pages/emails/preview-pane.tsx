import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { MailFrame } from '../../ui/mail-frame.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Scrollable } from '../../ui/scrollable.tsx';
import { Segments } from '../../ui/segments.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { TemplateFailure } from './template-failure.tsx';
import type { MailPreview } from './use-preview.ts';

const PATH = '/waitlists/$waitlistId/emails/$kind';
const WIDTHS = { desktop: 680, phone: 375 };
const VIEWS = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'phone', label: 'Phone' },
  { value: 'text', label: 'Plain text' },
] as const;

interface PreviewPaneProps {
  preview: MailPreview;
  about: string;
  /** Above the email. */
  options: ReactNode;
}

interface Shown {
  /** Whose values it has. */
  about: string;
  subject: string;
  html: string;
  text: string;
  failure: string | null;
}

/** The email as a person would get it. A draft with problems leaves the last good one in sight. */
export function PreviewPane({ preview, about, options }: PreviewPaneProps) {
  const { view = 'desktop' } = useSearch({ from: `/shell${PATH}` });
  const navigate = useNavigate({ from: PATH });
  const { data } = preview;
  const [good, setGood] = useState<Shown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is said of it changes with the email, not before.
  useEffect(() => {
    if (data?.html != null && data.text != null)
      setGood({
        about,
        subject: data.subject ?? '',
        html: data.html,
        text: data.text,
        failure: data.templateFailure,
      });
  }, [data]);
  const stale = preview.isError || (data?.problems.length ?? 0) > 0;
  return (
    <Card
      flush
      title="Preview"
      about={stale ? 'As it was before the problem.' : (good?.about ?? about)}
      className="lg:sticky lg:top-6"
      actions={
        <Segments
          label="Width"
          value={view}
          options={VIEWS}
          onChange={(next) =>
            void navigate({
              search: (now) => ({ ...now, view: next === 'desktop' ? undefined : next }),
              replace: true,
            })
          }
        />
      }
    >
      {options}
      <QueryProblem query={{ ...preview, data: good }}>
        {good ? (
          <div className={cx(stale && 'text-mute')}>
            {good.failure && !stale && (
              <div className="px-5 pb-4">
                <TemplateFailure failure={good.failure} />
              </div>
            )}
            <p className="border-y px-5 py-2.5 break-words">
              <span className="text-mute">Subject: </span>
              <bdi className="font-medium">{good.subject}</bdi>
            </p>
            {view === 'text' ? (
              <Scrollable label="Plain text" className="max-h-[60dvh] overflow-auto">
                <pre
                  dir="auto"
                  className="p-5 font-mono text-sm leading-relaxed break-words whitespace-pre-wrap"
                >
                  {good.text}
                </pre>
              </Scrollable>
            ) : (
              <Scrollable
                label="Preview"
                className="max-h-[70dvh] overflow-x-hidden overflow-y-auto rounded-b-lg bg-sunken"
              >
                <div className={cx('transition-opacity', stale && 'opacity-50')}>
                  <MailFrame html={good.html} title="Preview of the email" width={WIDTHS[view]} />
                </div>
              </Scrollable>
            )}
          </div>
        ) : (
          <SkeletonRows rows={8} />
        )}
      </QueryProblem>
    </Card>
  );
}
