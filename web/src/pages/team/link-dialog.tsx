import type { Schemas } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { exactTime } from '../../ui/relative-time.tsx';

export type OneTimeLink = Schemas['OneTimeLink'];

export function LinkDialog({
  link,
  email,
  onClose,
}: {
  link: OneTimeLink;
  email: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={link.kind === 'invitation' ? `Invited ${email}` : `Reset link for ${email}`}
      about={
        link.emailed
          ? 'Doorlist emails them this link, too. It works once and is not shown again.'
          : 'They are not emailed: there is no mail server. Send them this link. It works once and is not shown again.'
      }
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CopyField text={link.url} what="link" />
      <p className="pt-3 text-sm text-mute">It works until {exactTime(link.expiresAt)}.</p>
    </Dialog>
  );
}
