import type { RunProfile } from '../../api/runs';
import { explains, profileHref, profileState, type Finding } from '../../state/runs';
import { go, type ViewID } from '../../state/state';
import { follow } from '../link';
import { CommandText } from '../parts';
import { profileViews } from '../views';

/** The profiles of a benchmark: of one run, or of both sides, which are then compared. */
export interface ProfilePair {
  kind: string;
  profile: string;
  base?: string | undefined;
  /** What the comparison of the runs found about them. */
  finding?: Finding | undefined;
}

export function profilesOf(
  profiles: readonly RunProfile[], pkg: string | undefined, benchmark: string, side: 'head' | 'base',
): RunProfile[] {
  return profiles.filter((p) => p.benchmark === benchmark && (p.package ?? '') === (pkg ?? '') && p.side === side);
}

/** Profiles of the same kind on both sides; of one side alone if the other has none at all. */
export function pairs(head: readonly RunProfile[], base: readonly RunProfile[]): ProfilePair[] {
  return head.map((h) => ({ kind: h.kind, profile: h.id, base: base.find((b) => b.kind === h.kind)?.id }));
}

/** That which explains a unit: what a click on a row shows. */
export function explaining(of: readonly ProfilePair[], unit: string): ProfilePair | undefined {
  return of.find((p) => explains(p.kind, unit)) ?? of[0];
}

export function openProfile(of: ProfilePair, view: ViewID, unit: string): void {
  go(profileState(view, of.profile, of.base, unit, of.finding));
}

function ProfileLink({ of, view, unit, children }: { of: ProfilePair; view: ViewID; unit: string; children: string }) {
  return (
    <a
      href={profileHref(view, of.profile, of.base, unit, of.finding)}
      tabIndex={-1}
      onClick={follow(() => openProfile(of, view, unit))}
      title={`${of.kind} profile: ${children}`}
    >
      {children}
    </a>
  );
}

/** In a table's row. */
export function RowLinks({ of, unit }: { of: ProfilePair | undefined; unit: string }) {
  if (!of) return null;
  return (
    <span class="bench-links">
      <ProfileLink of={of} view="flame" unit={unit}>Flame</ProfileLink>
      {of.base !== undefined && <ProfileLink of={of} view="diff" unit={unit}>Diff</ProfileLink>}
    </span>
  );
}

/** The views that a profile opens in; the others are one click further. */
const OPENS: readonly ViewID[] = ['diff', 'flame', 'top', 'source'];

/** Every profile. */
export function AllLinks({ of, unit, load }: { of: readonly ProfilePair[]; unit: string; load?: boolean }) {
  if (of.length === 0) return load
    ? (
      <p class="soft">
        No profiles. <code><CommandText text="hone load -pprof HOST:PORT" /></code> takes them; with -against, only if something changed.
      </p>
    )
    : <p class="soft">No profiles of this benchmark. <code><CommandText text="hone bench -profile cpu,mem" /></code> keeps them.</p>;
  return (
    <dl class="runs-links">
      {of.map((p) => (
        <div key={p.kind} style={{ display: 'contents' }}>
          <dt class="soft">{p.kind} profile{p.base !== undefined ? 's, compared' : ''}</dt>
          <dd>
            {profileViews.filter((v) => OPENS.includes(v.id) && (v.id !== 'diff' || p.base !== undefined)).map((v) => (
              <a key={v.id} href={profileHref(v.id, p.profile, p.base, unit, p.finding)} onClick={follow(() => openProfile(p, v.id, unit))}>
                {v.title}
              </a>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
