import type { ProfileInfo } from '../api/types';
import { formatCount } from '../model/units';
import { formatDuration, safeLink } from './facts';

/** All that is known of a profile. */
export default function Facts({ info }: { info: ProfileInfo }) {
  const link = safeLink(info.docURL);
  // What the list above has already need not be said twice.
  const header = info.header.filter((line) => !/^(File|Build ID|Time): /.test(line));
  const rows: [string, string][] = [
    ...(info.time
      ? [['Taken', new Date(info.time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })] as [string, string]]
      : []),
    ...(info.duration > 0 ? [['Duration', formatDuration(info.duration)] as [string, string]] : []),
    ...(info.selection ? [
      ['Profiles', `${formatCount(info.selection.profiles)}, merged`],
      ['Profiled', `${formatDuration(info.selection.duration)} in total`],
      ['Last', new Date(info.selection.last).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })],
    ] as [string, string][] : [['Sources', info.merged > 1 ? `${info.merged}, added up` : '1'] as [string, string]]),
    ['Stacks', formatCount(info.samples)],
    ['Functions', formatCount(info.functions)],
    ['Locations', formatCount(info.locations)],
    ...(info.period > 0 ? [['Period', formatPeriod(info)] as [string, string]] : []),
    ['Id', info.id],
  ];
  return (
    <>
      <h2>{info.name}</h2>
      <dl class="profile-facts">
        {rows.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd class={term === 'Id' ? 'mono' : undefined}>{value}</dd>
          </div>
        ))}
        {info.labels.length > 0 && (
          <div>
            <dt>Labels</dt>
            <dd>{info.labels.map((l) => `${l.key} (${formatCount(l.values)}${l.unit ? ` ${l.unit}` : ''})`).join(', ')}</dd>
          </div>
        )}
        {info.mappings.length > 0 && (
          <div>
            <dt>Binary</dt>
            <dd>
              {info.mappings[0]!.file || 'unnamed'}
              {info.mappings[0]!.buildID && <span class="soft mono"> {info.mappings[0]!.buildID}</span>}
              {info.mappings.length > 1 && <span class="soft"> and {info.mappings.length - 1} more</span>}
            </dd>
          </div>
        )}
        {info.comments.length > 0 && (
          <div>
            <dt>Comments</dt>
            <dd>{info.comments.map((c) => <p key={c}>{c}</p>)}</dd>
          </div>
        )}
        {link && (
          <div>
            <dt>About</dt>
            <dd><a href={link} target="_blank" rel="noopener noreferrer">{link}</a></dd>
          </div>
        )}
      </dl>
      {header.length > 0 && <pre class="profile-header">{header.join('\n')}</pre>}
    </>
  );
}

function formatPeriod({ period, periodType }: ProfileInfo): string {
  return periodType.unit === 'nanoseconds'
    ? `${formatDuration(period)} of ${periodType.type}`
    : `${formatCount(period)} ${periodType.unit} of ${periodType.type}`;
}
