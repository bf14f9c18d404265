import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { MAIL_KINDS, type OptionalKind } from '../../api/mail-choices.ts';
import { useWhyNot } from '../../api/me.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import { environmentSearch, type Scope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { type Template, templatesQuery, updateMailSettings } from './mails.ts';

type OptionalTemplate = Template & { kind: OptionalKind };

function isOptional(template: Template): template is OptionalTemplate {
  return template.optional;
}

/** Each kind of email: whether it is sent, and a way to its text. */
export function TemplatesTab({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const whyNot = useWhyNot('turn emails on and off', 'admin');
  const query = useQuery(templatesQuery(scope));
  const { data: waitlist } = useQuery(waitlistQuery(scope));
  const [stranding, setStranding] = useState<OptionalTemplate>();
  const turn = useAct(async (template: OptionalTemplate, on: boolean) => {
    const { kind, name } = template;
    try {
      // Others may have been turned on or off meanwhile, here or by somebody else.
      const now = await client.fetchQuery({ ...templatesQuery(scope), staleTime: 0 });
      const others = now.filter(isOptional).filter((one) => one.enabled && one.kind !== kind);
      await updateMailSettings(scope, { kinds: [...others.map((one) => one.kind), ...(on ? [kind] : [])] });
      await refresh();
      toast(`${name} is ${on ? 'on' : 'off'}`, { undo: () => void turn.run(template, !on) });
    } catch (error) {
      toastError(error);
    }
  });
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['templates', scope.waitlistId] }),
      client.invalidateQueries({ queryKey: ['mail-settings', scope.waitlistId] }),
      client.invalidateQueries({ queryKey: ['mail-status', scope.waitlistId] }),
    ]);
  return (
    <Card
      flush
      title="What people get"
      about={`${whyNot ?? 'Turn on the emails to send.'} Templates apply in every environment.`}
    >
      <QueryProblem query={query}>
        {query.data ? (
          <ul className="border-t">
            {query.data.map((template) => (
              <li
                key={template.kind}
                className="relative flex items-center gap-4 border-b px-5 py-3.5 last:border-0 hover:bg-hover"
              >
                <Link
                  to="/waitlists/$waitlistId/emails/$kind"
                  params={{ waitlistId: scope.waitlistId, kind: template.kind }}
                  search={environmentSearch(scope.environment)}
                  className="min-w-0 flex-1 rounded-sm after:absolute after:inset-0"
                >
                  <span className="flex flex-wrap items-center gap-2 font-medium">
                    {template.name}
                    {template.languages.some(({ custom }) => custom) && <Badge tone="violet">Edited</Badge>}
                    {template.languages.some(({ outOfDate }) => outOfDate) && (
                      <Badge tone="warn">Translation out of date</Badge>
                    )}
                  </span>
                  <span className="block text-sm text-mute">{template.description}</span>
                </Link>
                {isOptional(template) ? (
                  <span className="relative z-10">
                    <Switch
                      label={<span className="sr-only">Send {template.name}</span>}
                      checked={template.enabled}
                      disabled={whyNot !== undefined}
                      readOnly={turn.busy}
                      onChange={(on) =>
                        !on && template.kind === 'confirm' && waitlist?.confirmEmails
                          ? setStranding(template)
                          : void turn.run(template, on)
                      }
                    />
                  </span>
                ) : (
                  <Badge>Always on</Badge>
                )}
                <ChevronRight className="size-4 shrink-0 text-mute" aria-hidden />
              </li>
            ))}
          </ul>
        ) : (
          <LoadingTemplates />
        )}
      </QueryProblem>
      <ConfirmDialog
        open={stranding !== undefined}
        onClose={() => setStranding(undefined)}
        title="Turn off the confirmation email?"
        about="This waitlist requires people to confirm their address. Without the email, new people stay pending. Only people who use the form still get it."
        action="Turn off"
        onConfirm={async () => stranding && turn.run(stranding, false)}
      />
    </Card>
  );
}

function LoadingTemplates() {
  return (
    <ul role="status" aria-label="Loading" className="border-t">
      {MAIL_KINDS.map((kind) => (
        <li key={kind} className="flex items-center gap-4 border-b px-5 py-3.5 last:border-0">
          <span className="flex-1">
            <Skeleton className="my-1 h-3.5 w-24" />
            <Skeleton className="my-1 h-3 w-3/5" />
          </span>
          <Skeleton className="h-5 w-9 rounded-full" />
          <ChevronRight className="size-4 shrink-0 text-mute" aria-hidden />
        </li>
      ))}
    </ul>
  );
}
