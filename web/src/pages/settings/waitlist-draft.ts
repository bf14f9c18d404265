import type { Schemas } from '../../api/client.ts';
import type { Waitlist } from '../../api/waitlists.ts';

type Changes = Schemas['WaitlistUpdate'];

/** The settings as the form holds them: texts, as people type them. */
interface Draft {
  name: string;
  confirmEmails: boolean;
  boost: string;
  referralCap: string;
  inviteExpiry: string;
  returnToQueue: boolean;
  metadataKeys: string;
}

export function draftOf(waitlist: Waitlist): Draft {
  return {
    name: waitlist.name,
    confirmEmails: waitlist.confirmEmails,
    boost: String(waitlist.boost),
    referralCap: waitlist.referralCap === null ? '' : String(waitlist.referralCap),
    inviteExpiry: waitlist.inviteExpiryMs === null ? 'never' : String(waitlist.inviteExpiryMs),
    returnToQueue: waitlist.returnToQueue,
    metadataKeys: waitlist.metadataKeys.join(', '),
  };
}

function settingsOf(draft: Draft): Required<Omit<Changes, 'closed'>> {
  return {
    name: draft.name.trim(),
    confirmEmails: draft.confirmEmails,
    boost: Number(draft.boost),
    referralCap: draft.referralCap.trim() === '' ? null : Number(draft.referralCap),
    inviteExpiryMs: draft.inviteExpiry === 'never' ? null : Number(draft.inviteExpiry),
    returnToQueue: draft.returnToQueue,
    metadataKeys: draft.metadataKeys
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  };
}

/** Only what differs, so that two operators do not undo each other's changes. */
export function changesOf(waitlist: Waitlist, draft: Draft): Changes {
  const entries = Object.entries(settingsOf(draft)) as [keyof Omit<Changes, 'closed'>, unknown][];
  const differing = entries.filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(waitlist[name]),
  );
  return Object.fromEntries(differing) as Changes;
}
