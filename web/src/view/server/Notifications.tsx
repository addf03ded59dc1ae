import { useState } from 'preact/hooks';
import { notifications, testNotification, type NotificationTest } from '../../api/notifications';
import { useAnswer } from '../../state/answer';
import { Button } from '../parts';
import { count } from '../table/format';
import { Grid, Section } from './Grid';

/** What a test came to: its result, why it could not be sent, or that it is on its way. */
type Outcome = NotificationTest | Error | 'sending';

/** Who is told of regressions, for admins: with a button that tests each. */
export function Notifications() {
  const loading = useAnswer('notifications', async (signal) => ({ targets: await notifications(signal) }));
  const [outcomes, setOutcomes] = useState<Record<string, Outcome>>({});
  const targets = loading.answer?.report.targets;
  if (!targets && !loading.error) return null;
  const test = async (name: string) => {
    const set = (outcome: Outcome) => setOutcomes((all) => ({ ...all, [name]: outcome }));
    set('sending');
    set(await testNotification(name).catch((err: Error) => err));
  };
  return (
    <Section title="Notifications of regressions">
      {loading.error && <p class="status-bad">{loading.error.message}</p>}
      {targets?.length === 0 && <p class="soft">No targets. Add <code>[[notify]]</code> to the configuration.</p>}
      {targets && targets.length > 0 && (
        <Grid
          head={['Target', 'Format', 'Told', 'Waiting', 'Given up', 'Last problem', 'Test']}
          rows={targets.map((t) => [
            t.name, t.format, count(t.sent), count(t.waiting), count(t.dropped), t.error || 'none',
            <span class="status-test">
              <Button disabled={outcomes[t.name] === 'sending'} aria-label={`Send a test to ${t.name}`} onClick={() => void test(t.name)}>
                Send a test
              </Button>
              <Result of={outcomes[t.name]} />
            </span>,
          ])}
        />
      )}
    </Section>
  );
}

function Result({ of }: { of: Outcome | undefined }) {
  const failed = of instanceof Error ? of.message : of !== undefined && of !== 'sending' ? of.error : '';
  const text = of === undefined ? '' : of === 'sending' ? 'Sending…' : failed ? `Failed: ${failed}` : `Arrived in ${took(of)} ms`;
  return <span role="status" class={failed ? 'status-failed' : 'soft'}>{text}</span>;
}

const took = (of: Outcome): number => (typeof of === 'object' && 'took' in of ? of.took : 0);
