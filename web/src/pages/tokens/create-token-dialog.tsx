import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { type Role, useMe } from '../../api/me.ts';
import { BASE_URL } from '../../base-path.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { roleOptions } from '../team/roles.ts';

const DAY_MS = 86_400_000;
const LIVES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never' },
];

interface CreateTokenDialogProps {
  onClose: () => void;
  onCreated: () => Promise<unknown>;
}

export function CreateTokenDialog({ onClose, onCreated }: CreateTokenDialogProps) {
  const { role: mine } = useMe();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [life, setLife] = useState('90');
  const [token, setToken] = useState<string | null>(null);
  const create = async () => {
    const expiresAt =
      life === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(life) * DAY_MS).toISOString() };
    const created = await call(api.POST('/admin/v1/tokens', { body: { name, role, ...expiresAt } }));
    await onCreated();
    setToken(created.token);
  };
  if (token !== null) return <CreatedToken token={token} onClose={onClose} />;
  return (
    <FormDialog title="Create a token" action="Create token" onClose={onClose} onSubmit={create}>
      {(problem) => (
        <>
          <Field label="Name" help="What it is for, such as Terraform." error={problem('name')}>
            <Input
              required
              maxLength={MAX.AdminTokenRequest.name}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <Field label="Role" error={problem('role')}>
            <Select label="Role" value={role} onChange={setRole} options={roleOptions(mine)} />
          </Field>
          <Field label="Expires" error={problem('expiresAt')}>
            <Select label="Expires" value={life} onChange={setLife} options={LIVES} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function CreatedToken({ token, onClose }: { token: string; onClose: () => void }) {
  const code = `curl ${BASE_URL}/admin/v1/me \\\n  -H "Authorization: Bearer ${token}"`;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Copy your token"
      about="It is shown only now. Keep it where you keep passwords."
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <CopyField text={token} what="token" />
        <CodeBlock label="Example" snippets={[{ language: 'curl', code }]} />
      </div>
    </Dialog>
  );
}
