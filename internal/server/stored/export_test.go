package stored

// What tests look at that are outside of this package, since servers with services
// import it.

const (
	PreparedServices = preparedServices
	MaxMarkerText    = maxMarkerText
)

var (
	Divided  = divided
	AutoStep = autoStep
)
