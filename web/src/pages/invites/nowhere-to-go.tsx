import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { environmentSearch, type Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { mailSettingsQuery } from '../emails/mails.ts';
import { formQuery } from '../form/form-query.ts';

/** The join page of Doorlist ends there, unless it has a link to the product. A page of the operators' own does not. */
export function NowhereToGo({ scope }: { scope: Scope }) {
  const mayChange = useMay('admin');
  const { data: form } = useQuery(formQuery(scope));
  const { data: emails } = useQuery(mailSettingsQuery(scope));
  if (!form || !emails || form.acceptedUrl !== null || emails.joinUrl !== null) return null;
  return (
    <Alert tone="warn" title="People who accept have nowhere to go">
      The page that they accept on has no link to your product.{' '}
      {mayChange ? (
        <Link
          to="/waitlists/$waitlistId/form"
          params={{ waitlistId: scope.waitlistId }}
          search={{ ...environmentSearch(scope.environment), tab: 'setup' }}
          className="font-medium underline underline-offset-2"
        >
          Set where it leads
        </Link>
      ) : (
        'An admin can set where it leads, under Form.'
      )}
    </Alert>
  );
}
