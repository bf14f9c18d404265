import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery, useMe } from '../../api/me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { DisableDialog, EnableDialog, RenewCodesDialog } from './two-factor-dialogs.tsx';

export function TwoFactorCard() {
  const { twoFactor } = useMe();
  const client = useQueryClient();
  const [open, setOpen] = useState<'enable' | 'disable' | 'renew' | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => setOpen(null);
  const show = async (shown: string[]) => {
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    setOpen(null);
    setCodes(shown);
  };
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Two-factor authentication {twoFactor ? <Badge tone="accent">On</Badge> : <Badge>Off</Badge>}
        </span>
      }
      about="A code from an app, in addition to your password."
      actions={
        twoFactor ? (
          <>
            <Button size="sm" onClick={() => setOpen('renew')}>
              New recovery codes
            </Button>
            <Button size="sm" onClick={() => setOpen('disable')}>
              Turn off
            </Button>
          </>
        ) : (
          <Button size="sm" onClick={() => setOpen('enable')}>
            Turn on
          </Button>
        )
      }
    >
      {open === 'enable' && <EnableDialog onClose={close} onDone={show} />}
      {open === 'renew' && <RenewCodesDialog onClose={close} onDone={show} />}
      {open === 'disable' && (
        <DisableDialog
          onClose={close}
          onDone={async () => {
            await client.invalidateQueries({ queryKey: meQuery.queryKey });
            close();
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}
