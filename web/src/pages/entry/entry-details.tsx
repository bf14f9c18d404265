import { useState } from 'react';
import { useMay, useWhyNot } from '../../api/me.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { DimmableButton } from '../../ui/button.tsx';
import { number } from '../../ui/number.ts';
import { Scrollable } from '../../ui/scrollable.tsx';
import type { AboutEntry } from './about-entry.ts';
import { Copied, Fact, Missing } from './entry-facts.tsx';
import { EntryMail } from './entry-mail.tsx';
import { EntryMailbox } from './entry-mailbox.tsx';
import { EntryPosition } from './entry-position.tsx';
import { EntryShare } from './entry-share.tsx';
import { ErasureNotice } from './erasure-notice.tsx';
import { EventTime } from './event-time.tsx';
import { MetadataEditor } from './metadata-editor.tsx';

const SHOWN_CHARACTERS = 2_000;
const LONG_CHARACTERS = 200;
const LONG_LINES = 7;

export function EntryDetails({ scope, entry, onOpen }: AboutEntry & { onOpen: (entryId: string) => void }) {
  const maySee = useMay('support');
  const seesMail = maySee && entry.email !== null;
  return (
    <div className="flex flex-col gap-6">
      {maySee && <ErasureNotice scope={scope} entry={entry} />}
      <EntryFacts scope={scope} entry={entry} />
      {seesMail && <EntryMail scope={scope} entry={entry} />}
      {entry.email !== null && <EntryMailbox scope={scope} entry={entry} onOpen={onOpen} />}
      <EntryMetadata scope={scope} entry={entry} />
    </div>
  );
}

export function EntryFacts({ scope, entry }: AboutEntry) {
  const maySee = useMay('support');
  return (
    <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-4 gap-y-2.5">
      <Fact label="Status">
        <StatusBadge status={entry.status} />
      </Fact>
      <EntryPosition scope={scope} entry={entry} />
      <Fact label="Email">{entry.email ? <Copied text={entry.email} what="email" /> : <Missing />}</Fact>
      <Fact label="Phone">{entry.phone ? <Copied text={entry.phone} what="phone" /> : <Missing />}</Fact>
      <Fact label="Referrals">{number(entry.referrals)}</Fact>
      <Fact label="Referral code">
        {entry.referralCode ? <Copied text={entry.referralCode} what="referral code" mono /> : <Missing />}
      </Fact>
      {maySee && entry.referralCode !== null && <EntryShare scope={scope} entry={entry} />}
      <Fact label="Referred by">
        {entry.referredBy ? <span dir="auto">{entry.referredBy}</span> : <Missing />}
      </Fact>
      <Fact label="Signed up">
        <EventTime at={entry.createdAt} />
      </Fact>
      {entry.invitedAt && (
        <Fact label="Invited">
          <EventTime at={entry.invitedAt} />
        </Fact>
      )}
      {entry.joinedAt && (
        <Fact label="Joined">
          <EventTime at={entry.joinedAt} />
        </Fact>
      )}
      <Fact label="Id">
        <Copied text={entry.id} what="id" mono />
      </Fact>
    </dl>
  );
}

export function EntryMetadata({ scope, entry }: AboutEntry) {
  const { missing } = entry;
  const maySee = useMay('support');
  const canEdit = maySee && entry.status !== 'removed' && missing === null;
  const whyNotEdit = useWhyNot('change metadata', 'admin', 'repair');
  const [editing, setEditing] = useState(false);
  const pairs = Object.entries(entry.metadata ?? {});
  return (
    <section className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-semibold">Metadata</h3>
        {canEdit && (
          <DimmableButton size="sm" why={whyNotEdit} onClick={() => setEditing(true)}>
            Edit
          </DimmableButton>
        )}
      </div>
      {!maySee ? (
        <p className="text-mute">Your role does not show metadata.</p>
      ) : missing === 'erased' ? (
        <p className="text-mute">Erased, with everything else about this person.</p>
      ) : missing === 'damaged' ? (
        <p className="text-mute">
          What is stored about this person is damaged and cannot be decrypted. A backup may still have it.
        </p>
      ) : pairs.length === 0 ? (
        <p className="text-mute">None. Send metadata with a signup to filter by it later.</p>
      ) : (
        <dl className="divide-y overflow-hidden rounded-md ring-1 ring-line">
          {pairs.map(([key, value]) => (
            <div key={key} className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)] gap-3 px-3 py-2">
              <dt className="truncate font-mono text-sm text-mute" title={key} dir="auto">
                {key}
              </dt>
              <dd className="min-w-0">
                <Value name={key} text={textOf(value)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {editing && <MetadataEditor scope={scope} entry={entry} onClose={() => setEditing(false)} />}
    </section>
  );
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** A long one scrolls, also by keyboard. */
function Value({ name, text }: { name: string; text: string }) {
  const shown = (
    <span className="block font-mono text-sm break-words whitespace-pre-wrap" dir="auto">
      {text}
    </span>
  );
  if (text.length < LONG_CHARACTERS && text.split('\n').length < LONG_LINES) return shown;
  return (
    <Scrollable label={name} className="max-h-40 overflow-y-auto">
      {shown}
    </Scrollable>
  );
}
