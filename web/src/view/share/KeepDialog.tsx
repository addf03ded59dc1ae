import { useState } from 'preact/hooks';
import { keepProfile } from '../../api/client';
import { status } from '../../api/continuous';
import { address, origin } from '../../state/address';
import { permalink } from '../../state/permalink';
import { nameOf, shortName } from '../../state/profiles';
import { formatSelection, lengthText } from '../../state/selection';
import { go, state } from '../../state/state';
import { useAnswer } from '../../state/answer';
import { Button, copyText, Dialog, toast } from '../parts';
import './share.css';

/** Stores the open profile on the server, so that a link to it keeps working. */
export default function KeepDialog({ onClose }: { onClose: () => void }) {
  const id = state.value.profile[0] ?? '';
  const name = nameOf(id);
  const [service, setService] = useState('uploads');
  const [version, setVersion] = useState('');
  const [busy, setBusy] = useState(false);
  const { answer } = useAnswer('status', () => status());
  const keep = async () => {
    setBusy(true);
    try {
      const kept = await keepProfile(id, { service: service.trim(), version: version.trim(), name: shortName(name) }, Date.now());
      go({ profile: [formatSelection({ q: '', from: 0, to: 0, sampleType: '', top: '', id: kept, per: 'sum' })], base: [] });
      onClose();
      await copyText(permalink(address(), true, Date.now()), 'Kept. Link copied');
    } catch (err) {
      setBusy(false);
      toast(err instanceof Error ? err.message : String(err), 'error');
    }
  };
  return (
    <Dialog title="Keep on this server" onClose={onClose}>
      <form class="share-form" onSubmit={(e) => { e.preventDefault(); if (service.trim()) void keep(); }}>
        <p>
          <b class="share-name">{shortName(name)}</b> becomes a profile of a service on {new URL(origin()).host}. Everyone who may see
          that service can open the link{answer && `, ${lasts(answer.report.retention)}`}.
        </p>
        <label>
          Service
          <input class="find" maxLength={200} required value={service} onInput={(e) => setService(e.currentTarget.value)} />
        </label>
        <label>
          Version, if it has one
          <input class="find" maxLength={200} value={version} onInput={(e) => setVersion(e.currentTarget.value)} />
        </label>
        <div class="button-row">
          <Button kind="primary" type="submit" disabled={busy || !service.trim()}>{busy ? 'Sending …' : 'Keep and copy the link'}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** How long the server keeps profiles, in words. */
const lasts = (retention: number): string => (retention > 0 ? `for ${lengthText(retention / 1e6)}` : 'for good');
