import { useQueryClient } from '@tanstack/react-query';
import { CodeXml } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Form, formQuery, rotateFormKey } from './form-query.ts';
import { OriginsCard } from './origins-card.tsx';
import { formSnippets } from './snippets.ts';

/** The form on the operator's own site. */
export function InstallTab({ form, scope }: { form: Form; scope: Scope }) {
  const mayChange = useMay('admin');
  if (form.key === null)
    return (
      <Card>
        <EmptyState icon={<CodeXml aria-hidden />} title="Turn the form on first">
          Then copy it from here into your site.
        </EmptyState>
      </Card>
    );
  const { origin } = new URL(form.url);
  return (
    <div className="flex flex-col gap-6">
      {form.allowedOrigins.length === 0 && (
        <Alert tone="warn" title="No site may show the form yet">
          {mayChange ? 'Add the origin of your site below.' : 'An admin can add the origin of your site.'} The
          hosted page works without.
        </Alert>
      )}
      <Card title="Add it to your site" about="Copy this to where the form should appear.">
        <CodeBlock label="Form" snippets={formSnippets(origin, form.key)} />
      </Card>
      {mayChange && <OriginsCard form={form} scope={scope} />}
      <FormKey formKey={form.key} scope={scope} />
    </div>
  );
}

function FormKey({ formKey, scope }: { formKey: string; scope: Scope }) {
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const [asking, setAsking] = useState(false);
  return (
    <Card
      title="Form key"
      about="Public: it only lets people join through the form."
      actions={
        mayChange && (
          <Button size="sm" onClick={() => setAsking(true)}>
            Rotate key
          </Button>
        )
      }
    >
      <CopyField text={formKey} what="form key" />
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Rotate the form key in ${scope.environment}?`}
        about="Forms with the old key stop working at once. Put the new key into your sites right after."
        action="Rotate key"
        onConfirm={async () => {
          client.setQueryData(formQuery(scope).queryKey, await rotateFormKey(scope));
          toast('The form has a new key');
        }}
      />
    </Card>
  );
}
