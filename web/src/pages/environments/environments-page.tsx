import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';

type Environment = Schemas['Environment'];

const COLUMNS: Column<Environment>[] = [
  { id: 'name', label: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { id: 'keys', label: 'Keys begin with', cell: ({ name }) => <KeyPrefix environment={name} /> },
  { id: 'created', label: 'Created', wide: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

function KeyPrefix({ environment }: { environment: string }) {
  return <code className="font-mono text-sm">{environment === 'production' ? 'dl_live_' : 'dl_test_'}</code>;
}

/** Separate partitions of every waitlist. */
export function EnvironmentsPage() {
  const client = useQueryClient();
  const mayCreate = useMay('admin');
  const [creating, setCreating] = useState(false);
  const query = useQuery({
    queryKey: ['environments', 'full'],
    queryFn: async () => (await call(api.GET('/admin/v1/environments'))).environments,
  });
  return (
    <>
      <PageHeader
        title="Environments"
        about="Every waitlist has its own people, keys and webhooks in each environment. They never mix."
        actions={
          mayCreate && (
            <Button look="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
              Create environment
            </Button>
          )
        }
      />
      <Card flush>
        <QueryProblem query={query}>
          <Table label="Environments" columns={COLUMNS} rows={query.data} rowId={({ name }) => name} />
        </QueryProblem>
      </Card>
      {creating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={() => client.invalidateQueries({ queryKey: ['environments'] })}
        />
      )}
    </>
  );
}

function CreateDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => Promise<unknown> }) {
  const [name, setName] = useState('');
  const create = async () => {
    await call(api.POST('/admin/v1/environments', { body: { name: name.trim() } }));
    await onCreated();
    toast(`Created ${name.trim()}`);
    onClose();
  };
  return (
    <FormDialog
      title="Create an environment"
      about="All waitlists get it. It cannot be renamed or deleted."
      action="Create environment"
      onClose={onClose}
      onSubmit={create}
    >
      {(problem) => (
        <Field label="Name" help="Letters a to z, digits and hyphens." error={problem('name')}>
          <Input
            required
            autoComplete="off"
            spellCheck={false}
            placeholder="staging"
            value={name}
            onChange={({ target: { value } }) => setName(value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}
