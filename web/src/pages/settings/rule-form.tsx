import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { people } from '../../api/entries.ts';
import { MAX } from '../../api/limits.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { number } from '../../ui/number.ts';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { FirstPeople } from '../queue/first-people.tsx';
import { MetadataConditions, type MetadataPair } from '../queue/segment-fields.tsx';
import {
  createRule,
  OUTCOMES,
  type Outcome,
  previewQuery,
  type RulePreview,
  type RuleRequest,
  rulesKey,
} from './rules.ts';

interface RuleDraft {
  domain: string;
  pairs: readonly MetadataPair[];
  referrer: string;
  code: string;
  outcome: Outcome;
}

const NEW_RULE: RuleDraft = {
  domain: '',
  pairs: [{ id: 0, key: '', value: '' }],
  referrer: '',
  code: '',
  outcome: 'approve',
};

function requestOf({ domain, pairs, referrer, code, outcome }: RuleDraft): RuleRequest {
  const where = pairs
    .filter(({ key }) => key.trim() !== '')
    .map(({ key, value }) => `${key.trim()}=${value.trim()}`);
  return {
    when: {
      ...(domain.trim() === '' ? {} : { domain: domain.trim() }),
      ...(where.length === 0 ? {} : { where }),
      ...(referrer.trim() === '' ? {} : { referrer: referrer.trim() }),
      ...(code.trim() === '' ? {} : { code: code.trim() }),
    },
    // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
    then: outcome,
  };
}

/** Makes a rule, and says before whom of those who wait it would have been about. */
export function RuleForm({ scope, onClose }: { scope: Scope; onClose: () => void }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(NEW_RULE);
  const [tried, setTried] = useState('');
  const { data: waitlist } = useQuery(waitlistQuery(scope));
  const set = (change: Partial<RuleDraft>) => setDraft({ ...draft, ...change });
  const body = requestOf(draft);
  const isTried = tried === JSON.stringify(body);
  const preview = useQuery({ ...previewQuery(scope, body), enabled: isTried });
  const tryIt = () => {
    if (isTried) void preview.refetch();
    else setTried(JSON.stringify(body));
  };
  return (
    <FormDialog
      title="Add a rule"
      about="Decides about people in the moment in which they sign up, if they meet every condition."
      action="Add rule"
      onClose={onClose}
      onSubmit={async () => {
        await createRule(scope, body);
        await client.invalidateQueries({ queryKey: rulesKey(scope) });
        toast('Added the rule');
        onClose();
      }}
    >
      {(problem) => (
        <>
          <Field
            label="Domain of the email"
            help="acme.com exactly, or *.edu for everything below."
            error={problem('when.domain')}
          >
            <Input
              value={draft.domain}
              maxLength={MAX.RuleConditions.domain}
              autoComplete="off"
              spellCheck={false}
              placeholder="acme.com"
              onChange={(event) => set({ domain: event.target.value })}
            />
          </Field>
          <MetadataConditions
            pairs={draft.pairs}
            onChange={(pairs) => set({ pairs })}
            keys={waitlist?.metadataKeys ?? []}
          />
          <Field
            label="Referred by"
            help="An email, a phone number, an id or a referral code."
            error={problem('when.referrer')}
          >
            <Input
              value={draft.referrer}
              maxLength={MAX.RuleConditions.referrer}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => set({ referrer: event.target.value })}
            />
          </Field>
          <Field
            label="Code"
            help="One that puts people further ahead, with which they join."
            error={problem('when.code')}
          >
            <Input
              value={draft.code}
              maxLength={MAX.RuleConditions.code}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => set({ code: event.target.value })}
            />
          </Field>
          <Field
            label="Then"
            help={draft.outcome === 'approve' ? 'Who has no email is not invited, and waits.' : undefined}
          >
            <Select
              value={draft.outcome}
              onChange={(outcome) => set({ outcome })}
              options={Object.entries(OUTCOMES).map(([value, { label }]) => ({
                value: value as Outcome,
                label,
              }))}
            />
          </Field>
          <div className="flex flex-col items-start gap-3">
            <Button
              size="sm"
              icon={<FlaskConical aria-hidden />}
              busy={isTried && preview.isFetching}
              onClick={tryIt}
            >
              Try it on those who wait
            </Button>
            {isTried && (
              <div className="w-full">
                <FirstPeople
                  title={(count) =>
                    `${count === 0 ? 'Nobody' : people(count)} would have been ${OUTCOMES[draft.outcome].done}`
                  }
                  about={preview.data && lookedAt(preview.data)}
                  nobody="Nobody who waits meets the conditions."
                  query={preview}
                />
              </div>
            )}
          </div>
        </>
      )}
    </FormDialog>
  );
}

function lookedAt({ looked, more }: RulePreview): string {
  return more
    ? `Of the first ${number(looked)} who wait. Others were not looked at.`
    : `Of ${number(looked)} who ${looked === 1 ? 'waits' : 'wait'}. Trying changes nothing.`;
}
