import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Field, Input } from '../../ui/field.tsx';
import { SavedSegmentField } from '../queue/saved-segment-field.tsx';
import { isEmpty, type Segment } from '../queue/segment.ts';
import { draftOf, isSound, type SegmentDraft, segmentOf } from '../queue/segment-draft.ts';
import { SegmentFields } from '../queue/segment-fields.tsx';
import { conditionsOf } from '../queue/segment-words.ts';
import type { InviteWay } from './invites-search.ts';

/** Whom to invite, as far as it is filled in. What was filled in for one way stays while another is looked at. */
interface WhomDraft {
  first: string;
  segment: SegmentDraft;
  email: string;
}

export function whomFrom({
  first = '10',
  segment,
}: {
  first?: string | undefined;
  segment: Segment;
}): WhomDraft {
  return { first, segment: draftOf(segment), email: '' };
}

/** Undefined while it is not complete. */
export function requestOf(way: InviteWay, whom: WhomDraft): Schemas['InviteRequest'] | undefined {
  if (way === 'first') return isCount(whom.first) ? { first: Number(whom.first) } : undefined;
  if (way === 'email') {
    const email = whom.email.trim();
    return /^\S+@\S+\.\S+$/.test(email) ? { email } : undefined;
  }
  const segment = segmentOf(whom.segment);
  return isSound(whom.segment) && !isEmpty(segment) ? { segment: conditionsOf(segment) } : undefined;
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

interface WhomFieldsProps {
  scope: Scope;
  way: InviteWay;
  whom: WhomDraft;
  set: (change: Partial<WhomDraft>) => void;
}

export function WhomFields({ way, ...props }: WhomFieldsProps) {
  switch (way) {
    case 'first':
      return <FirstField {...props} />;
    case 'segment':
      return <SegmentChoice {...props} />;
    case 'email':
      return <EmailField {...props} />;
  }
}

type WhomProps = Omit<WhomFieldsProps, 'way'>;

function FirstField({ whom: { first }, set }: WhomProps) {
  return (
    <Field
      label="How many"
      name="first"
      error={isCount(first) || first === '' ? undefined : 'Enter a whole number from 1 to 999,999,999.'}
      help="From the front of the line. People without an email are skipped."
    >
      <Input
        type="number"
        min={1}
        max={999_999_999}
        step={1}
        inputMode="numeric"
        value={first}
        onChange={(event) => set({ first: event.target.value })}
      />
    </Field>
  );
}

function SegmentChoice({ scope, whom: { segment }, set }: WhomProps) {
  const { data: waitlist } = useQuery(waitlistQuery(scope));
  return (
    <>
      <SavedSegmentField
        scope={scope}
        status="waiting"
        segment={segmentOf(segment)}
        onChange={(saved) => set({ segment: draftOf(saved) })}
      />
      <SegmentFields
        draft={segment}
        onChange={(next) => set({ segment: next })}
        keys={waitlist?.metadataKeys ?? []}
      />
    </>
  );
}

function EmailField({ whom: { email }, set }: WhomProps) {
  return (
    <Field label="Email" name="email" help="They do not have to be on the waitlist.">
      <Input
        type="email"
        value={email}
        autoComplete="off"
        onChange={(event) => set({ email: event.target.value })}
      />
    </Field>
  );
}
