import { setRuns } from '../../state/runs';

/** Narrows a table to one unit. */
export function UnitPicker({ units, value }: { units: readonly string[]; value: string }) {
  return (
    <label class="picklist">
      <span class="visually-hidden">Unit</span>
      <select value={value} onChange={(e) => setRuns({ unit: e.currentTarget.value })}>
        <option value="">All units</option>
        {units.map((u) => <option key={u} value={u}>{u}</option>)}
      </select>
    </label>
  );
}
