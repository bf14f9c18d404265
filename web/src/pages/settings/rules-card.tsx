import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { entryQuery, nameOf } from '../../api/entries.ts';
import { useWhyNot } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { DimmableButton, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { codeQuery, nameOfCode } from '../codes/codes.ts';
import { splitPair } from '../queue/segment-words.ts';
import { RuleForm } from './rule-form.tsx';
import { deleteRule, OUTCOMES, type Outcome, type Rule, rulesKey, rulesQuery } from './rules.ts';

const TONES: Record<Outcome, Tone> = { approve: 'violet', advance: 'sky', decline: 'danger' };

/** What decides about people in the moment in which they sign up. */
export function RulesCard({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const query = useQuery(rulesQuery(scope));
  const whyNot = useWhyNot('make rules', 'admin');
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<Rule>();
  const rules = query.data;
  return (
    <Card
      flush
      title="Rules"
      about={`Decide about people in the moment in which they sign up in ${scope.environment}. The first rule that fits counts. Whoever is imported, or gets in with a code, is left alone.`}
      actions={
        <DimmableButton size="sm" why={whyNot} icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
          Add a rule
        </DimmableButton>
      }
    >
      <QueryProblem query={query}>
        {rules === undefined ? (
          <SkeletonRows rows={2} />
        ) : rules.length === 0 ? (
          <p className="px-5 pb-5 text-mute">No rules yet: everybody waits until somebody decides.</p>
        ) : (
          <ol className="divide-y border-t">
            {rules.map((rule) => (
              <li key={rule.id} className="flex items-center gap-3 py-2 pr-3 pl-5">
                <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="min-w-0 break-words" dir="auto">
                    <InWords scope={scope} rule={rule} />
                  </span>
                  <Badge tone={TONES[rule.then]}>{OUTCOMES[rule.then].label}</Badge>
                </span>
                {whyNot === undefined && (
                  <IconButton label="Delete rule" size="sm" onClick={() => setDeleting(rule)}>
                    <Trash2 aria-hidden />
                  </IconButton>
                )}
              </li>
            ))}
          </ol>
        )}
      </QueryProblem>
      {adding && <RuleForm scope={scope} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        open={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title="Delete this rule?"
        about="It decides about nobody from now on. What it decided stays."
        action="Delete rule"
        onConfirm={async () => {
          if (!deleting) return;
          await deleteRule(scope, deleting.id);
          await client.invalidateQueries({ queryKey: rulesKey(scope) });
          toast('Deleted the rule');
        }}
      />
    </Card>
  );
}

function InWords({ scope, rule: { when } }: { scope: Scope; rule: Rule }) {
  const { domain, where = [], referrer, code } = when;
  const { data } = useQuery({ ...entryQuery(scope, referrer ?? ''), enabled: referrer !== undefined });
  const { data: named } = useQuery({
    ...codeQuery(scope, code ?? ''),
    enabled: code !== undefined,
    retry: false,
  });
  const conditions = [
    ...(domain === undefined
      ? []
      : [domain.startsWith('*.') ? `Email below ${domain.slice(2)}` : `Email at ${domain}`]),
    ...where.map((pair) => {
      const [key, value] = splitPair(pair);
      return `${key} is ${value || 'empty'}`;
    }),
    ...(referrer === undefined ? [] : [`Referred by ${data ? nameOf(data) : referrer}`]),
    ...(code === undefined ? [] : [`Joined with ${named ? nameOfCode(named) : code}`]),
  ];
  return conditions.join(' and ');
}
