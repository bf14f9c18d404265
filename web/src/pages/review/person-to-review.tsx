import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Clock, PanelRight, ThumbsDown, ThumbsUp, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { type Entry, entryQuery, nameOf } from '../../api/entries.ts';
import { MAX } from '../../api/limits.ts';
import type { Mailable } from '../../api/mail-status.ts';
import { useWhyNot } from '../../api/me.ts';
import { useKeys } from '../../shell/use-keys.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button, DimmableButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { number } from '../../ui/number.ts';
import { closeToasts, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { EntryFacts, EntryMetadata } from '../entry/entry-details.tsx';
import { EntryMailbox } from '../entry/entry-mailbox.tsx';
import { TellByEmail } from '../entry/tell-by-email.tsx';
import { type Decision, useEntryChanges } from '../entry/use-entry-changes.ts';
import type { Outcome, Review } from './use-review.ts';

interface PersonToReviewProps {
  scope: Scope;
  /** As the person was when the review began. */
  listed: Entry;
  review: Review;
  onOpen: (entryId: string) => void;
}

const OUTCOMES: Record<Exclude<Decision, 'reconsider'>, Outcome> = {
  approve: 'approved',
  decline: 'declined',
};

/** So that all fit on one line. */
const WORD_ON_PHONES = 'max-md:[&_svg]:hidden';

/** What is known of a person, and the decision. */
export function PersonToReview({ scope, listed, review, onOpen }: PersonToReviewProps) {
  const { data: entry = listed } = useQuery({ ...entryQuery(scope, listed.id), placeholderData: listed });
  const name = nameOf(entry);
  return (
    <div className="flex flex-col gap-4">
      <Decide scope={scope} entry={entry} review={review} />
      <Card
        title={
          <span className="block truncate text-lg" title={name} dir="auto">
            {name}
          </span>
        }
        about={progressOf(review)}
        actions={
          <Button size="sm" icon={<PanelRight aria-hidden />} onClick={() => onOpen(entry.id)}>
            Open
          </Button>
        }
      >
        <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-6">
            <EntryMetadata scope={scope} entry={entry} />
            {entry.email !== null && <EntryMailbox scope={scope} entry={entry} onOpen={onOpen} />}
          </div>
          <div className="min-w-0">
            <EntryFacts scope={scope} entry={entry} />
          </div>
        </div>
      </Card>
    </div>
  );
}

function progressOf({ at, total }: Review): string {
  return total === undefined
    ? `Number ${number(at + 1)} of more than 10,000`
    : `${number(at + 1)} of ${number(Math.max(total, at + 1))}`;
}

/** In sight however long the answers are, and where no toast covers it. */
function Decide({ scope, entry, review }: Pick<PersonToReviewProps, 'scope' | 'review'> & { entry: Entry }) {
  const { at, goTo } = review;
  const [note, setNote] = useState('');
  const [email, setEmail] = useState<Mailable>();
  const noteField = useRef<HTMLTextAreaElement>(null);
  const changes = useEntryChanges({ scope, entry }, () => goTo(at + 1));
  const mayNot = useWhyNot('decide about people', 'admin', 'decline');
  const { run, busy, doing } = useAct(async (verb: Decision) => {
    closeToasts(); // What can be undone is the last decision.
    try {
      const onUndone = () => {
        review.forget(entry);
        goTo(at);
      };
      await changes.decide(verb, note.trim(), { email, onUndone });
    } catch (error) {
      toastError(error);
      return;
    }
    if (verb === 'reconsider') return review.forget(entry);
    review.note(entry, OUTCOMES[verb]);
    goTo(at + 1);
  });
  const isWaiting = entry.status === 'waiting';
  const whyNot: Record<Decision, string | undefined> = {
    approve: mayNot ?? (entry.email === null ? 'There is no email to send an invite to.' : undefined),
    decline: mayNot,
    reconsider: mayNot,
  };
  const decide = (verb: Decision) => {
    if (!busy && whyNot[verb] === undefined) void run(verb);
  };
  const later = () => {
    if (isWaiting) review.note(entry, 'later');
    goTo(at + 1);
  };
  useKeys(({ key, isCommand, isSecond, event }) => {
    if (isCommand || isSecond || event.repeat) return;
    if (key === 'a' && isWaiting) decide('approve');
    else if (key === 'd' && isWaiting) decide('decline');
    else if (key === 'u' && entry.status === 'declined') decide('reconsider');
    else if (key === 'l') later();
    else if (key === 'b') goTo(at - 1);
    else if (key === 'n' && noteField.current) {
      event.preventDefault();
      noteField.current.focus();
    }
  });
  const leaveNote = ({ key, currentTarget }: KeyboardEvent<HTMLTextAreaElement>) => {
    if (key === 'Escape') currentTarget.blur();
  };
  const button = (verb: Decision) => ({
    why: whyNot[verb],
    busy: busy && doing?.[0] === verb,
    onClick: () => decide(verb),
  });
  return (
    <section
      aria-label="Decision"
      className="sticky top-[calc(var(--band)+1rem)] z-10 flex flex-col gap-3 rounded-lg bg-surface p-4 shadow-md ring-1 ring-line max-md:top-[calc(var(--band)+4rem)] max-md:p-3"
    >
      {isWaiting && mayNot === undefined && (
        <>
          <Field label="Note, which only the team sees" hideLabel>
            <TextArea
              ref={noteField}
              rows={1}
              maxLength={MAX.EntryDecision.note}
              placeholder="Note for the team (optional)"
              value={note}
              onChange={(event) => setNote(event.target.value)}
              onKeyDown={leaveNote}
              className="max-h-32"
            />
          </Field>
          <TellByEmail brief scope={scope} entry={entry} checked={email !== undefined} onChange={setEmail} />
        </>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {isWaiting ? (
          <>
            <DimmableButton
              look="primary"
              icon={<ThumbsUp aria-hidden />}
              aria-keyshortcuts="a"
              {...button('approve')}
            >
              Approve <Kbd name="A" />
            </DimmableButton>
            <DimmableButton
              icon={<ThumbsDown aria-hidden />}
              aria-keyshortcuts="d"
              className={WORD_ON_PHONES}
              {...button('decline')}
            >
              Decline <Kbd name="D" />
            </DimmableButton>
            <Button
              icon={<Clock aria-hidden />}
              aria-keyshortcuts="l"
              className={WORD_ON_PHONES}
              onClick={later}
            >
              Later <Kbd name="L" />
            </Button>
          </>
        ) : (
          <>
            {entry.status === 'declined' && (
              <DimmableButton icon={<Undo2 aria-hidden />} aria-keyshortcuts="u" {...button('reconsider')}>
                Take decline back <Kbd name="U" />
              </DimmableButton>
            )}
            <Button aria-keyshortcuts="l" onClick={later}>
              Next <Kbd name="L" />
            </Button>
          </>
        )}
        <span className="flex-1" />
        <Button
          look="quiet"
          aria-keyshortcuts="b"
          disabled={at === 0}
          onClick={() => goTo(at - 1)}
          className="max-md:w-9 max-md:px-0!"
        >
          <ArrowLeft aria-hidden />
          <span className="max-md:sr-only">Back</span> <Kbd name="B" />
        </Button>
      </div>
    </section>
  );
}
