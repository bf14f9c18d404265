import type { Texts } from '../../languages/texts.ts';
import type { PersonStatus } from '../../waitlist/forms/person-status.ts';
import type { Look } from '../pages/look.ts';
import { shareUrl } from './parts.ts';
import { shareLinks } from './share.ts';

/** A person's status with its texts, for the component. */
export function presentStatus(
  texts: Texts,
  publicUrl: string,
  look: Look,
  { queue, status, position, referrals, referralCode, boost }: PersonStatus,
) {
  const url = shareUrl(publicUrl, queue, look, referralCode);
  return {
    status,
    position,
    positionText: position === null ? null : texts.status.position(position),
    referrals,
    referralsText: texts.status.referrals(referrals),
    shareUrl: url,
    shareTitle: texts.share.title,
    shareText: boost > 0 ? texts.share.movesUp(boost) : texts.share.text,
    post: texts.share.post(look.name),
    links: shareLinks(texts, look.name, url),
  };
}
