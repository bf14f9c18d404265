import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { instanceQuery, mailSettingsQuery } from './mails.ts';
import { SettingsForm } from './settings-form.tsx';

/** Sender, look and links of all emails of a waitlist. */
export function SettingsTab({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const mayManage = useMay('admin');
  const query = useQuery(mailSettingsQuery(scope));
  const { data: instance } = useQuery(instanceQuery);
  return (
    <QueryProblem framed query={query}>
      {query.data ? (
        <SettingsForm
          key={scope.waitlistId}
          scope={scope}
          settings={query.data}
          defaultFrom={instance?.emails.from ?? ''}
          readOnly={!mayManage}
          onSaved={() => client.invalidateQueries({ queryKey: ['mail-settings', scope.waitlistId] })}
        />
      ) : (
        <Card flush>
          <SkeletonRows rows={8} />
        </Card>
      )}
    </QueryProblem>
  );
}
