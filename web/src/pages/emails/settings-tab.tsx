import { useQuery, useQueryClient } from '@tanstack/react-query';
import { instanceQuery } from '../../api/instance.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonForms } from '../../ui/skeleton.tsx';
import { MailSettingsForm } from './mail-settings-form.tsx';
import { mailSettingsQuery } from './mails.ts';
import { SenderCheckCard } from './sender-check.tsx';

/** Sender, look and links of all emails of a waitlist. */
export function SettingsTab({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const mayManage = useMay('admin');
  const query = useQuery(mailSettingsQuery(scope));
  const { data: instance } = useQuery(instanceQuery);
  return (
    <QueryProblem framed query={query}>
      {query.data ? (
        <div className="flex flex-col gap-6">
          <MailSettingsForm
            key={scope.waitlistId}
            scope={scope}
            settings={query.data}
            defaultFrom={instance?.emails.from ?? ''}
            readOnly={!mayManage}
            onSaved={() => {
              void client.invalidateQueries({ queryKey: ['mail-sender', scope.waitlistId] });
              return client.invalidateQueries({ queryKey: ['mail-settings', scope.waitlistId] });
            }}
          />
          <SenderCheckCard scope={scope} />
        </div>
      ) : (
        <SkeletonForms cards={[[2, 1], [2, 1], [1, 1, 1], [2]]} />
      )}
    </QueryProblem>
  );
}
