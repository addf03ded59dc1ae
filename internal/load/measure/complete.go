package measure

import (
	"context"
	"errors"
	"os"

	"github.com/hone-go/hone/internal/experiment"
)

// MeasureRun carries out the plan, which needs a Run, and completes the run. After an error or
// if the load is void, the run stays partial, so that no conclusions are drawn from it. Without
// a single period, the Report is nil and the run is removed.
func (p *Plan) MeasureRun(ctx context.Context) (*Report, error) {
	report, err := p.Measure(ctx)
	void := ""
	if report != nil && report.Result != nil {
		void = report.Void
	}
	err = complete(p.Run, partial(ctx, err, void), err)
	if report == nil {
		err = errors.Join(err, os.RemoveAll(p.Run.Dir()))
	}
	return report, err
}

// partial says why a measurement of a load is partial, "" if it is complete.
func partial(ctx context.Context, err error, void string) string {
	switch {
	case ctx.Err() != nil:
		return "interrupted"
	case err != nil:
		return err.Error()
	case void != "":
		return "void: " + void
	}
	return ""
}

// MeasureRun compares the versions, for which the plan needs a Run, and completes the run. After
// an error, the run stays partial. A comparison that is void is an error.
func (v *Versus) MeasureRun(ctx context.Context) (*VersusReport, error) {
	report, err := v.Measure(ctx)
	why := ""
	switch {
	case err != nil && ctx.Err() != nil:
		why = "interrupted"
	case err != nil:
		why = "not finished: " + err.Error()
	case report.Void != "":
		err, why = errors.New("the run is void: "+report.Void), "void: "+report.Void
	}
	return report, complete(v.Run, why, err)
}

// complete closes a run, or abandons it if it is partial.
func complete(run *experiment.Writer, why string, err error) error {
	if why == "" {
		return errors.Join(err, run.Close())
	}
	return errors.Join(err, run.Abandon(why))
}
